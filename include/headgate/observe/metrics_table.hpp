#pragma once
// All metrics with name, labels, meaning and bounds. docs/metrics.md is written from this table.

#include "headgate/core/time.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace headgate::observe {

/// A row of the table. Units are seconds and bytes; names of counters end in _total.
struct Family {
  enum class Type { counter, gauge, histogram };
  static constexpr std::size_t kMaxLabels = 4;

  std::string_view name;
  Type type;
  std::array<std::string_view, kMaxLabels> labels;  ///< unused ones at the end are empty
  std::string_view help;                            ///< a sentence without its dot, one line
  std::string_view ask;                             ///< a useful query
  std::span<const Duration> bounds{};               ///< of a histogram

  constexpr std::size_t label_count() const noexcept {
    std::size_t count = 0;
    while (count < kMaxLabels && !labels[count].empty()) ++count;
    return count;
  }
};

/// All families in the order of the output.
std::span<const Family* const> families() noexcept;

namespace bounds {

/// From the time of the proxy alone to the longest time that a client waits.
inline constexpr std::array kRequest{Duration(1'000),     Duration(2'500),     Duration(5'000),     Duration(10'000),
                                     Duration(25'000),    Duration(50'000),    Duration(100'000),   Duration(250'000),
                                     Duration(500'000),   Duration(1'000'000), Duration(2'500'000), Duration(5'000'000),
                                     Duration(10'000'000)};
/// From a decision in memory to one that ends with Redis's timeout.
inline constexpr std::array kDecision{Duration(10),     Duration(50),     Duration(100),   Duration(250),
                                      Duration(500),    Duration(1'000),  Duration(2'500), Duration(5'000),
                                      Duration(10'000), Duration(20'000), Duration(50'000)};
/// One call to Redis. The same as redis::kLatencyBounds, which the limiter uses; server/collect.cpp compares them.
inline constexpr std::array kRedis{Duration(100),    Duration(250),    Duration(500),
                                   Duration(1'000),  Duration(2'500),  Duration(5'000),
                                   Duration(10'000), Duration(20'000), Duration(50'000)};

}  // namespace bounds

namespace family {

using Type = Family::Type;

inline constexpr Family build_info{.name = "headgate_build_info",
                                   .type = Type::gauge,
                                   .labels = {"version"},
                                   .help = "The version that is running; always 1",
                                   .ask = "count by (version) (headgate_build_info)"};

inline constexpr Family requests{.name = "headgate_requests_total",
                                 .type = Type::counter,
                                 .labels = {"route", "method", "code"},
                                 .help = "Answered requests",
                                 .ask = "sum by (route) (rate(headgate_requests_total{code=~\"5..\"}[5m]))"};
inline constexpr Family request_seconds{
    .name = "headgate_request_duration_seconds",
    .type = Type::histogram,
    .labels = {"route"},
    .help = "Time from the first byte of a request to the last byte of its answer",
    .ask = "histogram_quantile(0.99, sum by (le, route) (rate(headgate_request_duration_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};

inline constexpr Family auth{.name = "headgate_auth_total",
                             .type = Type::counter,
                             .labels = {"route", "kind", "result"},
                             .help = "Results of checking credentials",
                             .ask = "sum by (kind, result) (rate(headgate_auth_total{result!=\"ok\"}[5m]))"};
inline constexpr Family key_source_up{
    .name = "headgate_key_source_up",
    .type = Type::gauge,
    .labels = {"source"},
    .help = "1 if the last attempt to read or fetch this source of keys (a file, a JWK Set) succeeded, else 0",
    .ask = "headgate_key_source_up == 0"};
inline constexpr Family key_source_keys{.name = "headgate_key_source_keys",
                                        .type = Type::gauge,
                                        .labels = {"source"},
                                        .help = "Active keys from this source",
                                        .ask = "headgate_key_source_keys"};
inline constexpr Family key_source_reads{.name = "headgate_key_source_reads_total",
                                         .type = Type::counter,
                                         .labels = {"source", "result"},
                                         .help = "Attempts to read or fetch a source of keys",
                                         .ask = "increase(headgate_key_source_reads_total{result=\"failed\"}[1h])"};
inline constexpr Family key_source_time{
    .name = "headgate_key_source_read_timestamp_seconds",
    .type = Type::gauge,
    .labels = {"source"},
    .help = "Time of the last successful attempt to read or fetch a source of keys, in seconds since 1970",
    .ask = "time() - headgate_key_source_read_timestamp_seconds > 3600"};

inline constexpr Family limit_decisions{
    .name = "headgate_limit_decisions_total",
    .type = Type::counter,
    .labels = {"limit", "tier", "decision", "source"},
    .help = "Decisions of a limit, one for each request that it applies to",
    .ask =
        "sum by (limit) (rate(headgate_limit_decisions_total{decision=\"rejected\"}[5m]))"
        " / sum by (limit) (rate(headgate_limit_decisions_total[5m]))"};
inline constexpr Family limit_units{
    .name = "headgate_limit_units_total",
    .type = Type::counter,
    .labels = {"limit", "tier", "decision"},
    .help = "Cost of requests in units, by the decision",
    .ask = "sum by (limit) (rate(headgate_limit_units_total{decision=\"allowed\"}[5m]))"};
inline constexpr Family limit_near{.name = "headgate_limit_near_total",
                                   .type = Type::counter,
                                   .labels = {"limit", "tier"},
                                   .help = "Allowed requests that left less than a fifth of the limit",
                                   .ask = "sum by (limit) (rate(headgate_limit_near_total[5m]))"};
inline constexpr Family limit_unreadable{
    .name = "headgate_limit_unreadable_costs_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Answers whose `response_header` was no number; such an answer costs the hold",
    .ask = "increase(headgate_limit_unreadable_costs_total[1h]) > 0"};
inline constexpr Family limit_decision_seconds{
    .name = "headgate_limit_decision_seconds",
    .type = Type::histogram,
    .labels = {"limit", "source"},
    .help = "Time from a check to its decision",
    .ask = "histogram_quantile(0.99, sum by (le) (rate(headgate_limit_decision_seconds_bucket{source=\"redis\"}[5m])))",
    .bounds = bounds::kDecision};
inline constexpr Family limit_configured{.name = "headgate_limit_configured_requests",
                                         .type = Type::gauge,
                                         .labels = {"limit", "tier", "window"},
                                         .help = "Configured rate: requests for each window",
                                         .ask = "headgate_limit_configured_requests{limit=\"plan\"}"};
inline constexpr Family limit_tracked{.name = "headgate_limit_tracked_keys",
                                      .type = Type::gauge,
                                      .labels = {"limit"},
                                      .help = "Keys in this gateway's memory",
                                      .ask = "topk(5, headgate_limit_tracked_keys)"};
inline constexpr Family limit_evicted{
    .name = "headgate_limit_evicted_keys_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Keys evicted from the full memory store before their limit was full again",
    .ask = "rate(headgate_limit_evicted_keys_total[5m]) > 0"};
inline constexpr Family limit_fallback{.name = "headgate_limit_fallback_active",
                                       .type = Type::gauge,
                                       .labels = {"limit"},
                                       .help = "1 while a limit in Redis is decided without Redis, else 0",
                                       .ask = "max by (limit) (headgate_limit_fallback_active) == 1"};
inline constexpr Family limit_leased{.name = "headgate_limit_leased_total",
                                     .type = Type::counter,
                                     .labels = {},
                                     .help = "Decisions made with leased permits, without a call to Redis",
                                     .ask = "rate(headgate_limit_leased_total[5m])"};
inline constexpr Family limit_known_rejections{.name = "headgate_limit_known_rejections_total",
                                               .type = Type::counter,
                                               .labels = {},
                                               .help = "Requests rejected without a call to Redis: known rejections",
                                               .ask = "rate(headgate_limit_known_rejections_total[5m])"};
inline constexpr Family limit_appointments{
    .name = "headgate_limit_appointments_total",
    .type = Type::counter,
    .labels = {"limit", "event"},
    .help = "Appointments: offered with a rejection, kept, shown too early, or shown too late or again",
    .ask = "sum by (limit, event) (rate(headgate_limit_appointments_total[5m]))"};
inline constexpr Family limit_in_flight{
    .name = "headgate_limit_in_flight",
    .type = Type::gauge,
    .labels = {"limit", "worker"},
    .help = "Requests of this worker that hold a permit of a limit with `in_flight`, in memory or in Redis",
    .ask = "sum by (limit) (headgate_limit_in_flight)"};
inline constexpr Family limit_other_shards{
    .name = "headgate_limit_other_shards_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Requests of a limit in shards that asked another shard, because the first one rejected",
    .ask = "sum by (limit) (rate(headgate_limit_other_shards_total[5m]))"};
inline constexpr Family limit_wait_seconds{
    .name = "headgate_limit_wait_seconds",
    .type = Type::histogram,
    .labels = {"limit"},
    .help = "Time that requests waited for a permit of a limit in flight, of those that stood in its queue and got one",
    .ask = "histogram_quantile(0.99, sum by (le, limit) (rate(headgate_limit_wait_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};
inline constexpr Family limit_charged{.name = "headgate_limit_charged_total",
                                      .type = Type::counter,
                                      .labels = {},
                                      .help = "Units allowed during an outage of Redis and charged to it afterwards",
                                      .ask = "increase(headgate_limit_charged_total[1h])"};

inline constexpr Family bans_active{.name = "headgate_bans_active",
                                    .type = Type::gauge,
                                    .labels = {"limit"},
                                    .help = "Keys that are suspended now, as far as this gateway knows",
                                    .ask = "max by (limit) (headgate_bans_active)"};
inline constexpr Family bans{.name = "headgate_bans_total",
                             .type = Type::counter,
                             .labels = {"limit", "reason"},
                             .help = "Suspensions that began on this gateway",
                             .ask = "sum by (limit) (increase(headgate_bans_total[1h]))"};
inline constexpr Family ban_decisions{
    .name = "headgate_ban_decisions_total",
    .type = Type::counter,
    .labels = {"limit", "decision"},
    .help = "Requests of suspended keys: refused, or observed if the limit only observes",
    .ask = "sum by (limit) (rate(headgate_ban_decisions_total{decision=\"refused\"}[5m]))"};

inline constexpr Family webhooks{.name = "headgate_webhooks_total",
                                 .type = Type::counter,
                                 .labels = {"result"},
                                 .help = "Webhooks that were delivered, given up, or dropped",
                                 .ask = "increase(headgate_webhooks_total{result!=\"delivered\"}[1h]) > 0"};
inline constexpr Family webhooks_retried{.name = "headgate_webhooks_retried_total",
                                         .type = Type::counter,
                                         .labels = {},
                                         .help = "Attempts to deliver a webhook again",
                                         .ask = "rate(headgate_webhooks_retried_total[5m])"};
inline constexpr Family webhooks_queued{.name = "headgate_webhooks_queued",
                                        .type = Type::gauge,
                                        .labels = {},
                                        .help = "Webhooks that wait or are being sent",
                                        .ask = "headgate_webhooks_queued > 100"};

inline constexpr Family room_waiting{.name = "headgate_waiting_room_waiting",
                                     .type = Type::gauge,
                                     .labels = {"room"},
                                     .help = "Numbers that were handed out and not called yet, over all gateways",
                                     .ask = "max by (room) (headgate_waiting_room_waiting)"};
inline constexpr Family room_inside{.name = "headgate_waiting_room_inside",
                                    .type = Type::gauge,
                                    .labels = {"room"},
                                    .help = "Visitors inside a room that bounds them, estimated, over all gateways",
                                    .ask = "max by (room) (headgate_waiting_room_inside)"};
inline constexpr Family room_wait_seconds{.name = "headgate_waiting_room_wait_seconds",
                                          .type = Type::gauge,
                                          .labels = {"room"},
                                          .help = "Estimated wait of a newcomer",
                                          .ask = "max by (room) (headgate_waiting_room_wait_seconds) > 1800"};
inline constexpr Family room_admitted{.name = "headgate_waiting_room_admitted_total",
                                      .type = Type::counter,
                                      .labels = {"room"},
                                      .help = "Callers that a room let in",
                                      .ask = "sum by (room) (rate(headgate_waiting_room_admitted_total[1m]))"};
inline constexpr Family room_waits{.name = "headgate_waiting_room_waits_total",
                                   .type = Type::counter,
                                   .labels = {"room"},
                                   .help = "Answers that told a caller to wait; each caller gets many",
                                   .ask = "sum by (room) (rate(headgate_waiting_room_waits_total[1m]))"};
inline constexpr Family room_lost{.name = "headgate_waiting_room_lost_total",
                                  .type = Type::counter,
                                  .labels = {"room"},
                                  .help = "Callers who came too late for their place and got a new number",
                                  .ask = "sum by (room) (increase(headgate_waiting_room_lost_total[10m]))"};
inline constexpr Family room_observed{.name = "headgate_waiting_room_observed_total",
                                      .type = Type::counter,
                                      .labels = {"room"},
                                      .help = "Callers let in by a room that only observes, who would have had to wait",
                                      .ask = "sum by (room) (rate(headgate_waiting_room_observed_total[5m]))"};
inline constexpr Family shed{.name = "headgate_shed_total",
                             .type = Type::counter,
                             .labels = {"upstream", "layer", "priority"},
                             .help = "Requests refused because there are too many, by the layer that refused them",
                             .ask = "sum by (upstream, layer, priority) (rate(headgate_shed_total[5m]))"};
inline constexpr Family upstream_concurrency_limit{
    .name = "headgate_upstream_concurrency_limit",
    .type = Type::gauge,
    .labels = {"upstream", "worker"},
    .help = "Adaptive limit: how many requests this worker may have at the upstream at the same time",
    .ask = "sum by (upstream) (headgate_upstream_concurrency_limit)"};
inline constexpr Family upstream_in_flight{
    .name = "headgate_upstream_in_flight",
    .type = Type::gauge,
    .labels = {"upstream", "worker"},
    .help = "Requests of this worker that wait for the head of their answer, where there is an adaptive limit",
    .ask = "sum by (upstream) (headgate_upstream_in_flight) / sum by (upstream) (headgate_upstream_concurrency_limit)"};
inline constexpr Family queue_waiting{.name = "headgate_queue_waiting",
                                      .type = Type::gauge,
                                      .labels = {"upstream", "worker"},
                                      .help = "Requests of this worker that wait for a place at the upstream",
                                      .ask = "sum by (upstream) (headgate_queue_waiting)"};
inline constexpr Family queue_seconds{
    .name = "headgate_queue_seconds",
    .type = Type::histogram,
    .labels = {"upstream"},
    .help = "Time that requests waited for a place at the upstream, of those that got one",
    .ask = "histogram_quantile(0.99, sum by (le, upstream) (rate(headgate_queue_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};
inline constexpr Family event_loop_lag{
    .name = "headgate_event_loop_lag_seconds",
    .type = Type::gauge,
    .labels = {"worker"},
    .help = "How late this worker came to its last measurement, where `shedding.loop_lag` is set",
    .ask = "max(headgate_event_loop_lag_seconds) > 0.05"};
inline constexpr Family upstream_handshakes{
    .name = "headgate_upstream_tls_handshakes_total",
    .type = Type::counter,
    .labels = {"upstream", "result"},
    .help = "TLS handshakes with the servers of an upstream, by how they ended",
    .ask = "sum by (upstream) (rate(headgate_upstream_tls_handshakes_total{result=\"untrusted\"}[5m])) > 0"};

inline constexpr Family redis_up{.name = "headgate_redis_up",
                                 .type = Type::gauge,
                                 .labels = {"node"},
                                 .help = "1 while every worker can reach this Redis server, else 0",
                                 .ask = "min by (node) (headgate_redis_up) == 0"};
inline constexpr Family redis_commands{.name = "headgate_redis_commands_total",
                                       .type = Type::counter,
                                       .labels = {"node", "result"},
                                       .help = "Calls to Redis for a decision, by their result",
                                       .ask = "sum by (result) (rate(headgate_redis_commands_total[5m]))"};
inline constexpr Family redis_command_seconds{
    .name = "headgate_redis_command_seconds",
    .type = Type::histogram,
    .labels = {"node"},
    .help = "Time that Redis took for each decision",
    .ask = "histogram_quantile(0.99, sum by (le, node) (rate(headgate_redis_command_seconds_bucket[5m])))",
    .bounds = bounds::kRedis};
inline constexpr Family redis_reconnects{.name = "headgate_redis_reconnects_total",
                                         .type = Type::counter,
                                         .labels = {"node"},
                                         .help = "Connections to Redis made again after a loss",
                                         .ask = "increase(headgate_redis_reconnects_total[1h])"};

inline constexpr Family reloads{.name = "headgate_config_reloads_total",
                                .type = Type::counter,
                                .labels = {"result"},
                                .help = "Attempts to load a changed configuration",
                                .ask = "increase(headgate_config_reloads_total{result=\"refused\"}[1h])"};
inline constexpr Family reload_successful{
    .name = "headgate_config_last_reload_successful",
    .type = Type::gauge,
    .labels = {},
    .help = "1 if the last configuration that was read is active, 0 if it was refused",
    .ask = "headgate_config_last_reload_successful == 0"};
inline constexpr Family reload_time{.name = "headgate_config_last_reload_success_timestamp_seconds",
                                    .type = Type::gauge,
                                    .labels = {},
                                    .help = "Time when the active configuration was loaded, in seconds since 1970",
                                    .ask = "time() - headgate_config_last_reload_success_timestamp_seconds"};
inline constexpr Family log_dropped{.name = "headgate_log_dropped_total",
                                    .type = Type::counter,
                                    .labels = {"log"},
                                    .help = "Log lines dropped because they could not be written in time",
                                    .ask = "rate(headgate_log_dropped_total[5m]) > 0"};

inline constexpr Family process_cpu{.name = "process_cpu_seconds_total",
                                    .type = Type::counter,
                                    .labels = {},
                                    .help = "User and system CPU time in seconds",
                                    .ask = "rate(process_cpu_seconds_total{job=\"headgate\"}[5m])"};
inline constexpr Family process_open_fds{.name = "process_open_fds",
                                         .type = Type::gauge,
                                         .labels = {},
                                         .help = "Open file descriptors",
                                         .ask = "process_open_fds / process_max_fds > 0.8"};
inline constexpr Family process_max_fds{.name = "process_max_fds",
                                        .type = Type::gauge,
                                        .labels = {},
                                        .help = "Maximum number of open file descriptors",
                                        .ask = "process_max_fds"};
inline constexpr Family process_virtual{.name = "process_virtual_memory_bytes",
                                        .type = Type::gauge,
                                        .labels = {},
                                        .help = "Virtual memory size in bytes",
                                        .ask = "process_virtual_memory_bytes"};
inline constexpr Family process_resident{.name = "process_resident_memory_bytes",
                                         .type = Type::gauge,
                                         .labels = {},
                                         .help = "Resident memory size in bytes",
                                         .ask = "process_resident_memory_bytes"};
inline constexpr Family process_start{.name = "process_start_time_seconds",
                                      .type = Type::gauge,
                                      .labels = {},
                                      .help = "Start time of the process, in seconds since 1970",
                                      .ask = "time() - process_start_time_seconds"};

}  // namespace family
}  // namespace headgate::observe
