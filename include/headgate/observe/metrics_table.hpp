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

inline constexpr Family build_info{"headgate_build_info",
                                   Type::gauge,
                                   {"version"},
                                   "What is running; always 1",
                                   "count by (version) (headgate_build_info)"};

inline constexpr Family requests{"headgate_requests_total",
                                 Type::counter,
                                 {"route", "method", "code"},
                                 "Requests answered",
                                 "sum by (route) (rate(headgate_requests_total{code=~\"5..\"}[5m]))"};
inline constexpr Family request_seconds{
    "headgate_request_duration_seconds",
    Type::histogram,
    {"route"},
    "From the first byte of a request to the last of its answer",
    "histogram_quantile(0.99, sum by (le, route) (rate(headgate_request_duration_seconds_bucket[5m])))",
    bounds::kRequest};

inline constexpr Family auth{"headgate_auth_total",
                             Type::counter,
                             {"route", "kind", "result"},
                             "Credentials looked for, and what came of each",
                             "sum by (kind, result) (rate(headgate_auth_total{result!=\"ok\"}[5m]))"};
inline constexpr Family key_source_up{"headgate_key_source_up",
                                      Type::gauge,
                                      {"source"},
                                      "1 while a source of keys (a file, a JWK Set) could be read when last looked at",
                                      "headgate_key_source_up == 0"};
inline constexpr Family key_source_keys{
    "headgate_key_source_keys", Type::gauge, {"source"}, "Keys in force from this source", "headgate_key_source_keys"};
inline constexpr Family key_source_reads{"headgate_key_source_reads_total",
                                         Type::counter,
                                         {"source", "result"},
                                         "Times a source of keys was read or fetched",
                                         "increase(headgate_key_source_reads_total{result=\"failed\"}[1h])"};
inline constexpr Family key_source_time{"headgate_key_source_read_timestamp_seconds",
                                        Type::gauge,
                                        {"source"},
                                        "When a source of keys was last read or fetched well, in seconds since 1970",
                                        "time() - headgate_key_source_read_timestamp_seconds > 3600"};

inline constexpr Family limit_decisions{
    "headgate_limit_decisions_total",
    Type::counter,
    {"limit", "tier", "decision", "source"},
    "What a limit said of a request",
    "sum by (limit) (rate(headgate_limit_decisions_total{decision=\"rejected\"}[5m]))"
    " / sum by (limit) (rate(headgate_limit_decisions_total[5m]))"};
inline constexpr Family limit_units{"headgate_limit_units_total",
                                    Type::counter,
                                    {"limit", "tier", "decision"},
                                    "What requests cost that were allowed, and what those asked for that were not",
                                    "sum by (limit) (rate(headgate_limit_units_total{decision=\"allowed\"}[5m]))"};
inline constexpr Family limit_near{"headgate_limit_near_total",
                                   Type::counter,
                                   {"limit", "tier"},
                                   "Requests allowed with less than a fifth of the limit left",
                                   "sum by (limit) (rate(headgate_limit_near_total[5m]))"};
inline constexpr Family limit_unreadable{"headgate_limit_unreadable_costs_total",
                                         Type::counter,
                                         {"limit"},
                                         "Answers whose `response_header` was no number, so that what was held stays",
                                         "increase(headgate_limit_unreadable_costs_total[1h]) > 0"};
inline constexpr Family limit_decision_seconds{
    "headgate_limit_decision_seconds",
    Type::histogram,
    {"limit", "source"},
    "How long a request waited for what a limit says",
    "histogram_quantile(0.99, sum by (le) (rate(headgate_limit_decision_seconds_bucket{source=\"redis\"}[5m])))",
    bounds::kDecision};
inline constexpr Family limit_configured{"headgate_limit_configured_requests",
                                         Type::gauge,
                                         {"limit", "tier", "window"},
                                         "The rule itself: requests in each window",
                                         "headgate_limit_configured_requests{limit=\"plan\"}"};
inline constexpr Family limit_tracked{"headgate_limit_tracked_keys",
                                      Type::gauge,
                                      {"limit"},
                                      "Counters kept in this gateway's memory",
                                      "topk(5, headgate_limit_tracked_keys)"};
inline constexpr Family limit_evicted{"headgate_limit_evicted_keys_total",
                                      Type::counter,
                                      {"limit"},
                                      "Counters forgotten, though not full again, because memory is bounded",
                                      "rate(headgate_limit_evicted_keys_total[5m]) > 0"};
inline constexpr Family limit_fallback{"headgate_limit_fallback_active",
                                       Type::gauge,
                                       {"limit"},
                                       "1 while a limit that Redis counts is decided without it",
                                       "max by (limit) (headgate_limit_fallback_active) == 1"};
inline constexpr Family limit_leased{"headgate_limit_leased_total",
                                     Type::counter,
                                     {},
                                     "Decisions answered from tokens taken ahead, without a call to Redis",
                                     "rate(headgate_limit_leased_total[5m])"};
inline constexpr Family limit_known_rejections{"headgate_limit_known_rejections_total",
                                               Type::counter,
                                               {},
                                               "Requests rejected without a call, because Redis had said until when",
                                               "rate(headgate_limit_known_rejections_total[5m])"};
inline constexpr Family limit_charged{"headgate_limit_charged_total",
                                      Type::counter,
                                      {},
                                      "Units let through without Redis and charged to it when it was back",
                                      "increase(headgate_limit_charged_total[1h])"};

inline constexpr Family redis_up{"headgate_redis_up",
                                 Type::gauge,
                                 {"node"},
                                 "1 while every worker reaches this server of Redis",
                                 "min by (node) (headgate_redis_up) == 0"};
inline constexpr Family redis_commands{"headgate_redis_commands_total",
                                       Type::counter,
                                       {"node", "result"},
                                       "Decisions asked of Redis, or turned away before they were",
                                       "sum by (result) (rate(headgate_redis_commands_total[5m]))"};
inline constexpr Family redis_command_seconds{
    "headgate_redis_command_seconds",
    Type::histogram,
    {"node"},
    "How long Redis took for those it decided",
    "histogram_quantile(0.99, sum by (le, node) (rate(headgate_redis_command_seconds_bucket[5m])))",
    bounds::kRedis};
inline constexpr Family redis_reconnects{"headgate_redis_reconnects_total",
                                         Type::counter,
                                         {"node"},
                                         "Connections to Redis that had to be made again",
                                         "increase(headgate_redis_reconnects_total[1h])"};

inline constexpr Family reloads{"headgate_config_reloads_total",
                                Type::counter,
                                {"result"},
                                "Attempts to load a changed configuration",
                                "increase(headgate_config_reloads_total{result=\"refused\"}[1h])"};
inline constexpr Family reload_successful{"headgate_config_last_reload_successful",
                                          Type::gauge,
                                          {},
                                          "1 where the last configuration read is in force, 0 where it was refused",
                                          "headgate_config_last_reload_successful == 0"};
inline constexpr Family reload_time{"headgate_config_last_reload_success_timestamp_seconds",
                                    Type::gauge,
                                    {},
                                    "When the configuration in force was loaded, in seconds since 1970",
                                    "time() - headgate_config_last_reload_success_timestamp_seconds"};
inline constexpr Family log_dropped{"headgate_log_dropped_total",
                                    Type::counter,
                                    {"log"},
                                    "Log lines lost because they could not be written fast enough, or at all",
                                    "rate(headgate_log_dropped_total[5m]) > 0"};

inline constexpr Family process_cpu{"process_cpu_seconds_total",
                                    Type::counter,
                                    {},
                                    "Processor time of the user and of the system",
                                    "rate(process_cpu_seconds_total{job=\"headgate\"}[5m])"};
inline constexpr Family process_open_fds{
    "process_open_fds", Type::gauge, {}, "File descriptors open", "process_open_fds / process_max_fds > 0.8"};
inline constexpr Family process_max_fds{
    "process_max_fds", Type::gauge, {}, "File descriptors that may be open", "process_max_fds"};
inline constexpr Family process_virtual{
    "process_virtual_memory_bytes", Type::gauge, {}, "Address space in use", "process_virtual_memory_bytes"};
inline constexpr Family process_resident{
    "process_resident_memory_bytes", Type::gauge, {}, "Memory in use", "process_resident_memory_bytes"};
inline constexpr Family process_start{"process_start_time_seconds",
                                      Type::gauge,
                                      {},
                                      "When the process began, in seconds since 1970",
                                      "time() - process_start_time_seconds"};

}  // namespace family
}  // namespace headgate::observe
