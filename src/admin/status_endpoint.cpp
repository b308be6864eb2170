#include "endpoint_groups.hpp"

#include "headgate/admin/collect.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/gateway/fleet_size.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace headgate::admin {
namespace {

using StatusJson = nlohmann::ordered_json;

std::int64_t seconds_between(Instant from, Instant to) {
  return std::chrono::duration_cast<std::chrono::seconds>(std::max(to - from, Duration(0))).count();
}

std::string_view word_of(const std::vector<Reason>& reasons, bool draining) {
  if (draining) return "draining";
  const auto worst = reasons.empty() ? ReasonSeverity::info : row_of(reasons.front().kind).severity;
  return worst == ReasonSeverity::info ? "ready" : severity_text(worst);
}

StatusJson details_of(const std::vector<Reason>& reasons, Instant now) {
  auto out = StatusJson::array();
  for (const auto& reason : reasons) {
    const auto& row = row_of(reason.kind);
    StatusJson one = {
        {"reason", row.name}, {"severity", severity_text(row.severity)}, {"sentence", sentence_of(reason)}};
    if (!reason.subject.empty()) one["subject"] = reason.subject;
    if (!reason.words.empty()) one["why"] = reason.words;
    one["since"] = moment_text(reason.since);
    one["seconds"] = seconds_between(reason.since, now);
    if (!row.command.empty()) one["command"] = command_of(reason);
    out.push_back(std::move(one));
  }
  return out;
}

std::string_view word_of(redis::RedisHealth health) {
  static constexpr WordsUpTo<redis::RedisHealth::down> kWords({"up", "trying", "down"});
  return kWords[health];
}

StatusJson config_of(const OperatorBoard::State& state, Instant now) {
  StatusJson out = StatusJson::object();
  if (state.active) {
    const auto& config = *state.active->config;
    if (!config.file.empty()) out["file"] = config.file;
    if (!config.sha256.empty()) out["sha256"] = config.sha256;
    out["since"] = moment_text(state.since);
    out["age_seconds"] = seconds_between(state.since, now);
  }
  if (!state.reload) return out;
  StatusJson last = {{"at", moment_text(state.reload->at)}, {"applied", state.reload->applied}};
  if (!state.reload->why_not.empty()) last["why_not"] = state.reload->why_not;
  out["last_reload"] = std::move(last);
  out["waiting_for_restart"] = state.reload->waiting_for_restart;
  return out;
}

/// Lists each server of Redis once, with the worst state that any worker sees.
StatusJson redis_of(const AdminBoard& board) {
  std::map<std::string, redis::RedisHealth> nodes;
  for (const auto& report : board.redis())
    for (const auto& node : report.nodes) {
      auto& known = nodes.try_emplace(node.name, node.health).first->second;
      known = std::max(known, node.health);
    }
  auto out = StatusJson::array();
  for (const auto& [name, health] : nodes) out.push_back({{"server", name}, {"state", word_of(health)}});
  return out;
}

StatusJson settlements_of(const AdminBoard& board) {
  const auto waiting = outstanding_of(board.redis());
  StatusJson out = {{"waiting", waiting.settlements}, {"permits", waiting.permits}};
  if (waiting.oldest) {
    const auto age = std::chrono::steady_clock::now() - *waiting.oldest;
    out["oldest_seconds"] = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  }
  return out;
}

StatusJson gateways_of(const OperatorBoard::State& state, const gateway::FleetSize& fleet) {
  const GatewayCounts counts{.seen = fleet.seen(), .configured = state.active->config->redis->instances};
  StatusJson out = {{"configured", counts.configured}, {"counted", counts.counted()}};
  if (counts.seen > 0) out["seen"] = counts.seen;
  return out;
}

std::string_view word_of(observe::LogLevel level) {
  static constexpr WordsUpTo<observe::LogLevel::off> kWords({"debug", "info", "warning", "error", "off"});
  return kWords[level];
}

double rounded_to(double number, double steps) { return std::round(number * steps) / steps; }

StatusJson rates_of(const Rates& rates) {
  constexpr double kHundredths = 100, kMillion = 1e6;
  const auto each_second = [](double number) { return rounded_to(number, kHundredths); };
  StatusJson out = {{"over_seconds", rounded_to(rates.over_seconds, kHundredths)},
                    {"requests_per_second", each_second(rates.requests)},
                    {"rejected_per_second", each_second(rates.rejected)},
                    {"failed_per_second", each_second(rates.failed)},
                    {"received_bytes_per_second", each_second(rates.received)},
                    {"sent_bytes_per_second", each_second(rates.sent)}};
  if (rates.half_within) out["p50_seconds"] = rounded_to(*rates.half_within, kMillion);
  if (rates.most_within) out["p95_seconds"] = rounded_to(*rates.most_within, kMillion);
  return out;
}

}  // namespace

AdminEndpoint status_endpoint(const AdminBoard& board, const Reasons& reasons, const gateway::FleetSize& fleet,
                              const OperatorBoard& operators, const observe::Logs& logs, const TrafficRates& rates) {
  return {.method = "GET",
          .path = "/api/v1/status",
          .answer =
              [&board, &reasons, &fleet, &operators, &logs, &rates](const AdminCall&) {
                const auto now = headgate::now();
                const auto state = operators.now();
                const auto wrong = reasons.list();
                StatusJson out = {{"version", HEADGATE_VERSION}};
                if (state.active) out["instance"] = state.active->config->instance;
                out["pid"] = ::getpid();
                out["started"] = moment_text(operators.started());
                out["uptime_seconds"] = seconds_between(operators.started(), now);
                out["state"] = word_of(wrong, state.draining);
                out["reasons"] = StatusJson::array();
                for (const auto& each : wrong) out["reasons"].push_back(sentence_of(each));
                out["details"] = details_of(wrong, now);
                out["config"] = config_of(state, now);
                if (state.active && state.active->candidate) {
                  const auto& candidate = *state.active->candidate->config;
                  out["candidate"] = {{"sha256", candidate.sha256}};
                  if (!candidate.file.empty()) out["candidate"]["file"] = candidate.file;
                }
                out["redis"] = redis_of(board);
                if (state.active && state.active->config->redis) out["settlements"] = settlements_of(board);
                if (state.active && state.active->config->redis) out["gateways"] = gateways_of(state, fleet);
                out["workers"] = state.workers;
                out["connections"] = state.totals != nullptr ? state.totals->connections.load() : 0;
                out["rates"] = rates_of(rates.now());
                out["log_level"] = word_of(logs.level());
                return AdminAnswer{.body = services::text_of(out), .type = AdminAnswer::kJson};
              },
          .about = {.summary = "One look at this gateway: whether it is ready, what it runs, and its last reload",
                    .answer = "Status"}};
}

}  // namespace headgate::admin
