#pragma once
// The rows of the table of metrics that are about servers which are looked after in the background.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family upstream_health_checks{
    .name = "headgate_upstream_health_checks_total",
    .type = Type::counter,
    .labels = {"upstream", "server", "result"},
    .help = "Health checks of servers that have ended, by result: `passed` or `failed`",
    .ask = "sum by (upstream, server) (rate(headgate_upstream_health_checks_total{result=\"failed\"}[5m])) > 0"};

}  // namespace headgate::observe::family
