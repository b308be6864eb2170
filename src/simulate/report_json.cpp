// Writes the report for programs.

#include "headgate/core/moment_text.hpp"
#include "headgate/simulate/report.hpp"
#include "headgate/simulate/share_text.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <utility>

namespace headgate::simulate {
namespace {

using Json = nlohmann::ordered_json;

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

Json tier_json(const TierFigures& tier) {
  Json out = {{"name", tier.name},         {"rates", tier.rates}, {"requests", tier.requests},
              {"rejected", tier.rejected}, {"keys", tier.keys},   {"keys_rejected", tier.keys_rejected},
              {"delayed", tier.delayed}};
  if (tier.delayed > 0) {
    out["delay_seconds"] = seconds_of(tier.delay);
    out["longest_delay_seconds"] = seconds_of(tier.longest_delay);
  }
  if (tier.worst.count > 0) {
    out["worst_minute"] = {{"begin", moment_text(tier.worst.begin)}, {"rejected", tier.worst.count}};
    out["minutes_rejecting"] = tier.minutes_rejecting;
  }
  out["series"] = {{"requests", tier.requests_series}, {"rejected", tier.rejected_series}};
  return out;
}

Json limit_json(const LimitFigures& limit) {
  Json out = {{"name", limit.name}, {"per", limit.per}, {"mode", limit.observed ? "observe" : "enforce"}};
  out["tiers"] = Json::array();
  for (const auto& tier : limit.tiers) out["tiers"].push_back(tier_json(tier));
  out["worst"] = Json::array();
  for (const auto& key : limit.worst) {
    Json row = {{"key", key.key}};
    if (!key.tier.empty()) row["tier"] = key.tier;
    row["requests"] = key.requests;
    row["rejected"] = key.rejected;
    out["worst"].push_back(std::move(row));
  }
  out["undecided"] = limit.undecided;
  out["counted_by_if_absent"] = limit.replaced;
  out["counted_with_hold"] = limit.costs_unknown;
  if (limit.banned > 0) out["banned"] = {{"requests", limit.banned}, {"keys", limit.keys_banned}};
  return out;
}

Json changes_json(const std::vector<KeyChange>& changes) {
  auto out = Json::array();
  for (const auto& each : changes)
    out.push_back({{"key", each.key},
                   {"requests", each.requests},
                   {"rejected_before", each.rejected_before},
                   {"rejected_after", each.rejected_after}});
  return out;
}

Json comparison_json(const Comparison& comparison, const std::string& other) {
  Json out = {
      {"with", other}, {"refused_before", comparison.refused_before}, {"refused_after", comparison.refused_after}};
  if (comparison.each_known) {
    out["requests_hit"] = comparison.hit;
    out["requests_freed"] = comparison.freed;
  }
  out["limits"] = Json::array();
  for (const auto& limit : comparison.limits) {
    constexpr const char* kChanges[] = {"kept", "added", "removed"};
    out["limits"].push_back({{"name", limit.name},
                             {"change", kChanges[static_cast<std::size_t>(limit.what)]},
                             {"counts_by_another_key", limit.other_key},
                             {"requests_before", limit.requests_before},
                             {"requests_after", limit.requests_after},
                             {"rejected_before", limit.rejected_before},
                             {"rejected_after", limit.rejected_after},
                             {"keys_hit", limit.keys_hit},
                             {"keys_freed", limit.keys_freed},
                             {"hit", changes_json(limit.hit)},
                             {"freed", changes_json(limit.freed)}});
  }
  return out;
}

Json suggestions_json(const Suggestions& suggestions) {
  Json out = {{"share", suggestions.share}, {"runs", suggestions.runs}, {"tiers", Json::array()}};
  for (const auto& each : suggestions.of_tiers) {
    Json row = {{"limit", each.limit}, {"tier", each.tier}, {"now", each.now}, {"rates", each.rates}};
    row["requests"] = each.requests;
    row["rejected"] = each.rejected;
    row["burst_at_the_rate_now"] = each.burst == 0 ? Json(nullptr) : Json(each.burst);
    out["tiers"].push_back(std::move(row));
  }
  return out;
}

}  // namespace

Json to_json(const SimulationReport& report) {
  const auto& figures = report.figures;
  Json out = {{"requests", figures.requests}, {"unread", report.arrived.unread}};
  const bool any = figures.requests > 0;
  out["from"] = any ? Json(moment_text(figures.from)) : Json(nullptr);
  out["until"] = any ? Json(moment_text(figures.until)) : Json(nullptr);
  out["policy"] = report.policy;
  out["arrivals"] = report.arrived.from;
  out["refused"] = figures.refused;
  out["ended_by"] = Json::object();
  for (const auto& [word, count] : figures.ended_by) out["ended_by"][word] = count;
  out["limits"] = Json::array();
  for (const auto& limit : figures.limits) out["limits"].push_back(limit_json(limit));
  if (!figures.rooms.empty()) {
    out["waiting_rooms"] = Json::array();
    for (const auto& room : figures.rooms)
      out["waiting_rooms"].push_back({{"name", room.name}, {"admitted", room.admitted}, {"waiting", room.waiting}});
  }
  if (!figures.upstreams.empty()) {
    out["upstreams"] = Json::array();
    for (const auto& each : figures.upstreams)
      out["upstreams"].push_back({{"name", each.name}, {"refused", each.refused}, {"queued", each.queued}});
  }
  if (any) {
    out["series"] = {{"begin", moment_text(figures.series_begin)},
                     {"seconds", seconds_of(figures.series_width)},
                     {"requests", figures.requests_series},
                     {"refused", figures.refused_series}};
  }
  out["assumed"] = report.assumed;
  auto notes = report.arrived.notes;
  for (auto& note : undecided_notes(figures)) notes.push_back(std::move(note));
  out["notes"] = notes;
  out["first_unread"] = report.arrived.first_unread;
  if (report.suggestions) out["suggestions"] = suggestions_json(*report.suggestions);
  if (report.comparison) out["comparison"] = comparison_json(*report.comparison, report.other);
  if (!report.asserted.empty()) {
    out["assertions"] = Json::array();
    for (const auto& each : report.asserted)
      out["assertions"].push_back({{"assertion", each.assertion.text},
                                   {"holds", each.held.holds},
                                   {"part", each.held.part},
                                   {"whole", each.held.whole}});
  }
  out["seconds"] = seconds_of(report.took);
  return out;
}

}  // namespace headgate::simulate
