#pragma once
// Metrics of the gateway as a whole: Redis, its configuration, its bounds and its log.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family redis_up{.name = "headgate_redis_up",
                                 .type = Type::gauge,
                                 .labels = {"node"},
                                 .help = "1 while every worker can reach this Redis server, otherwise 0",
                                 .ask = "min by (node) (headgate_redis_up) == 0"};
inline constexpr Family redis_commands{.name = "headgate_redis_commands_total",
                                       .type = Type::counter,
                                       .labels = {"node", "result"},
                                       .help = "Calls to Redis for a decision, by result",
                                       .ask = "sum by (result) (rate(headgate_redis_commands_total[5m]))"};
inline constexpr Family redis_command_seconds{
    .name = "headgate_redis_command_seconds",
    .type = Type::histogram,
    .labels = {"node"},
    .help = "Time of a call to Redis for a decision",
    .ask = "histogram_quantile(0.99, sum by (le, node) (rate(headgate_redis_command_seconds_bucket[5m])))",
    .bounds = bounds::kRedis};
inline constexpr Family redis_reconnects{.name = "headgate_redis_reconnects_total",
                                         .type = Type::counter,
                                         .labels = {"node"},
                                         .help = "Reconnections to Redis",
                                         .ask = "increase(headgate_redis_reconnects_total[1h])"};
inline constexpr Family gateways{
    .name = "headgate_gateways",
    .type = Type::gauge,
    .labels = {"kind"},
    .help =
        "Gateways that share Redis: `seen` in the last minute with Redis, `configured`, and `counted`, the larger of "
        "both, which sets each gateway's part while Redis is down",
    .ask = "headgate_gateways{kind=\"seen\"} > on (instance) headgate_gateways{kind=\"configured\"}"};
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
inline constexpr Family reason{
    .name = "headgate_reason",
    .type = Type::gauge,
    .labels = {"reason", "subject", "severity"},
    .help = "1 while something is wrong, by `reason` and subject, as in `headgate status`; no series otherwise",
    .ask = "headgate_reason{severity!=\"info\"} == 1"};
inline constexpr Family bound_used{.name = "headgate_bound_used",
                                   .type = Type::gauge,
                                   .labels = {"bound"},
                                   .help = "Used part of a bound of this gateway, as in `headgate bounds`",
                                   .ask = "headgate_bound_used / headgate_bound_limit > 0.8"};
inline constexpr Family bound_limit{.name = "headgate_bound_limit",
                                    .type = Type::gauge,
                                    .labels = {"bound"},
                                    .help = "Size of a bound of this gateway, as in `headgate bounds`",
                                    .ask = "headgate_bound_limit"};
inline constexpr Family log_dropped{.name = "headgate_log_dropped_total",
                                    .type = Type::counter,
                                    .labels = {"log"},
                                    .help = "Log lines dropped because they could not be written in time",
                                    .ask = "rate(headgate_log_dropped_total[5m]) > 0"};
inline constexpr Family log_left_out{.name = "headgate_log_left_out_total",
                                     .type = Type::counter,
                                     .labels = {"reason"},
                                     .help = "Access log lines left out on purpose, by `keep_ok` or `refusals_every`",
                                     .ask = "sum by (reason) (rate(headgate_log_left_out_total[5m]))"};

}  // namespace headgate::observe::family
