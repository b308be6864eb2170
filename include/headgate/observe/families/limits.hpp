#pragma once
// Metrics of the decisions of limits.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

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
    .help = "Cost of requests in units, by decision",
    .ask = "sum by (limit) (rate(headgate_limit_units_total{decision=\"allowed\"}[5m]))"};
inline constexpr Family limit_near{.name = "headgate_limit_near_total",
                                   .type = Type::counter,
                                   .labels = {"limit", "tier"},
                                   .help = "Allowed requests that left less than a fifth of the limit",
                                   .ask = "sum by (limit) (rate(headgate_limit_near_total[5m]))"};
inline constexpr Family limit_unreadable_costs{
    .name = "headgate_limit_unreadable_costs_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Answers whose `response_header` is not a number, so that the hold was charged",
    .ask = "increase(headgate_limit_unreadable_costs_total[1h]) > 0"};
inline constexpr Family limit_other_shards{
    .name = "headgate_limit_other_shards_total",
    .type = Type::counter,
    .labels = {"limit"},
    .help = "Requests that asked another shard of a limit because the first one rejected",
    .ask = "sum by (limit) (rate(headgate_limit_other_shards_total[5m]))"};
inline constexpr Family limit_decision_seconds{
    .name = "headgate_limit_decision_seconds",
    .type = Type::histogram,
    .labels = {"limit", "source"},
    .help = "Time from a check to its decision",
    .ask =
        "histogram_quantile(0.99, sum by (le) "
        "(rate(headgate_limit_decision_seconds_bucket{source=\"redis\"}[5m])))",
    .bounds = bounds::kDecision};
inline constexpr Family limit_configured{.name = "headgate_limit_configured_requests",
                                         .type = Type::gauge,
                                         .labels = {"limit", "tier", "window"},
                                         .help = "Configured rate, in requests per window",
                                         .ask = "headgate_limit_configured_requests{limit=\"plan\"}"};
inline constexpr Family limit_tracked{.name = "headgate_limit_tracked_keys",
                                      .type = Type::gauge,
                                      .labels = {"limit"},
                                      .help = "Keys in this gateway's memory",
                                      .ask = "topk(5, headgate_limit_tracked_keys)"};
inline constexpr Family limit_evicted{.name = "headgate_limit_evicted_keys_total",
                                      .type = Type::counter,
                                      .labels = {"limit"},
                                      .help = "Keys evicted from the full memory store while still in use",
                                      .ask = "rate(headgate_limit_evicted_keys_total[5m]) > 0"};

}  // namespace headgate::observe::family
