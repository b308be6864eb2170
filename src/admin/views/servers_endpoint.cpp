#include "admin/endpoint_groups.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace headgate::admin {
namespace {

using OrderedRows = nlohmann::ordered_json;

std::int64_t whole_seconds(Duration time) { return std::chrono::duration_cast<std::chrono::seconds>(time).count(); }

/// Rounds a rate for people.
double in_hundredths(double rate) {
  constexpr double kHundredths = 100;
  return std::round(rate * kHundredths) / kHundredths;
}

void add_use(const balance::ServerReport& server, OrderedRows& out) {
  constexpr double kMillion = 1e6;
  out["attempts_per_second"] = in_hundredths(server.rates.attempts);
  out["errors_per_second"] = in_hundredths(server.rates.errors);
  out["not_connected_per_second"] = in_hundredths(server.rates.not_connected);
  if (server.rates.p95 > Duration(0)) out["p95_seconds"] = static_cast<double>(server.rates.p95.count()) / kMillion;
}

void add_size(const ServerSize& size, OrderedRows& out) {
  out["weight"] = size.weight;
  if (size.max_in_flight > 0) out["max_in_flight"] = size.max_in_flight;
  if (size.backup) out["backup"] = true;
  if (size.set_by_operator) out["set_by_operator"] = true;
}

OrderedRows json_of(const LastCheck& check, Instant now) {
  OrderedRows out = {{"passed", check.passed}, {"seconds_ago", whole_seconds(std::max(now - check.at, Duration(0)))}};
  if (!check.why.empty()) out["why"] = check.why;
  return out;
}

OrderedRows json_of(const balance::ServerReport& server) {
  OrderedRows out = {{"server", server.server}, {"in", server.out == 0}, {"up", server.up()}};
  auto why = OrderedRows::array();
  if ((server.out & balance::kEjected) != 0) why.push_back("ejected");
  if ((server.out & balance::kUnhealthy) != 0) why.push_back("unhealthy");
  if ((server.out & balance::kDrained) != 0) why.push_back("drained");
  if ((server.out & balance::kDown) != 0) why.push_back("down");
  if (!why.empty()) out["out"] = std::move(why);
  if (server.reason) out["reason"] = balance::to_text(*server.reason);
  // If `since` is 0, the server has been in rotation since startup.
  if (server.since > Duration(0)) out["seconds"] = whole_seconds(server.since);
  if (server.failing)
    out["failing"] = {{"in_a_row", server.failed_in_a_row},
                      {"seconds", whole_seconds(server.failing_since)},
                      {"last_tried_seconds", whole_seconds(server.last_tried)},
                      {"last", balance::words_of(server.last_failure)}};
  if (server.next_trial) out["next_trial_seconds"] = whole_seconds(*server.next_trial);
  out["in_flight"] = server.in_flight;
  return out;
}

OrderedRows json_of(const std::vector<QueueUse>& queues) {
  auto out = OrderedRows::array();
  for (const auto& each : queues)
    out.push_back({{"for", each.what}, {"waiting", each.waiting}, {"length", each.length}});
  return out;
}

std::string_view word_of(balance::CircuitState state) {
  static constexpr WordsUpTo<balance::CircuitState::half_open> kWords({"closed", "open", "half_open"});
  return kWords[state];
}

}  // namespace

AdminEndpoint servers_endpoint(std::function<std::vector<UpstreamReport>()> ask, AskQueues queues, AskRetries retries) {
  const auto answer = [ask = std::move(ask), queues = std::move(queues),
                       retries = std::move(retries)](const AdminCall&) {
    auto upstreams = OrderedRows::array();
    for (const auto& report : ask()) {
      OrderedRows row = {{"upstream", report.upstream}};
      if (report.watch.circuit) row["circuit"] = word_of(*report.watch.circuit);
      if (report.watch.circuit_tries) row["circuit_tries_in_seconds"] = whole_seconds(*report.watch.circuit_tries);
      if (auto waiting = json_of(queues(report.upstream)); !waiting.empty()) row["queues"] = std::move(waiting);
      row["retries"] = retries(report.upstream);
      row["servers"] = OrderedRows::array();
      for (std::size_t i = 0; i < report.watch.servers.size(); ++i) {
        auto one = json_of(report.watch.servers[i]);
        if (i < report.sizes.size()) add_size(report.sizes[i], one);
        add_use(report.watch.servers[i], one);
        if (i < report.checks.size() && report.checks[i]) one["last_check"] = json_of(*report.checks[i], now());
        row["servers"].push_back(std::move(one));
      }
      upstreams.push_back(std::move(row));
    }
    return AdminAnswer{.body = services::text_of({{"upstreams", std::move(upstreams)}}), .type = AdminAnswer::kJson};
  };
  return {.method = "GET",
          .path = "/api/v1/servers",
          .answer = answer,
          .about = {.summary = "Which servers get requests, and why others do not", .answer = "Servers"}};
}

}  // namespace headgate::admin
