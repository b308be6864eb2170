#include "load_output.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>

namespace headgate::cli {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

Json times(const load::Percentiles& of) {
  return {{"mean", milliseconds(of.mean())},  {"p50", milliseconds(of.at(0.5))},  {"p90", milliseconds(of.at(0.9))},
          {"p95", milliseconds(of.at(0.95))}, {"p99", milliseconds(of.at(0.99))}, {"p999", milliseconds(of.at(0.999))},
          {"max", milliseconds(of.max())}};
}

Json group(const load::CallerFigures& of) {
  return {{"sent", of.sent},
          {"allowed", of.allowed},
          {"rejected", of.rejected},
          {"in_line", of.in_line},
          {"other", of.other},
          {"no_answer", of.no_answer},
          {"milliseconds", times(of.whole)},
          {"milliseconds_from_sending", times(of.from_sending)}};
}

}  // namespace

std::string load_json(const load::LoadOptions& options, const load::LoadReport& report) {
  const auto& when = options.timetable;
  const auto& figures = report.figures;
  Json out;
  for (const auto& target : options.targets) out["to"].push_back(net::to_text(target.url));
  out["like"] = load::kLikes[when.like];
  out["rate"] = when.rate;
  out["seconds"] = milliseconds(report.took) / 1000;
  out["seed"] = when.seed;
  out["callers"] = group(figures.callers);
  out["callers"]["number"] = when.callers;
  if (when.like == load::Like::attack) {
    out["attackers"] = group(figures.attackers);
    out["attackers"]["number"] = load::attackers(when.like, when.callers);
  }
  out["promises"] = {{"kept", figures.kept}, {"broken", figures.broken}, {"open", figures.open}};
  out["asked_again"] = figures.again;
  out["held_back"] = figures.held;
  out["late"] = {
      {"process", report.late_self}, {"connections", report.late_connections}, {"not_sent", report.not_sent}};
  static constexpr std::array<const char*, 3> kLimits{"nothing", "connections", "processor"};
  out["limited_by"] = kLimits[static_cast<std::size_t>(limited_by(report))];
  out["busiest_second"] = report.busiest;
  out["connections_opened"] = report.connections;
  out["body_bytes"] = figures.bytes;
  out["statuses"] = Json::object();
  for (const auto& [status, count] : figures.statuses) out["statuses"][std::to_string(status)] = count;
  static constexpr std::array<const char*, 5> kEndings{"answered", "not_connected", "timed_out", "cut", "unfinished"};
  out["unanswered"] = Json::object();
  for (const auto& [ending, count] : figures.unanswered)
    out["unanswered"][kEndings[static_cast<std::size_t>(ending)]] = count;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace headgate::cli
