#pragma once
// The metrics of servers that fail, and of what the gateway does then: a part of the table.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

inline constexpr Family upstream_requests{
    .name = "headgate_upstream_requests_total",
    .type = Family::Type::counter,
    .labels = {"upstream", "server", "code"},
    .help = "Attempts at servers by the status that the server answered, or `-` without an answer",
    .ask = "sum by (upstream, server) (rate(headgate_upstream_requests_total{code=~\"5..|-\"}[5m]))"};
inline constexpr Family upstream_seconds{
    .name = "headgate_upstream_duration_seconds",
    .type = Family::Type::histogram,
    .labels = {"upstream"},
    .help = "Time from sending a request to a server to the head of its answer",
    .ask = "histogram_quantile(0.99, sum by (le, upstream) (rate(headgate_upstream_duration_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};
inline constexpr Family upstream_server_up{
    .name = "headgate_upstream_server_up",
    .type = Family::Type::gauge,
    .labels = {"upstream", "server"},
    .help =
        "1 if this server gets requests and answers, 0 if it is out of rotation, or if at least its last "
        "three attempts had no answer, also while it still gets requests because no other is left",
    .ask = "headgate_upstream_server_up == 0"};
inline constexpr Family upstream_ejections{
    .name = "headgate_upstream_ejections_total",
    .type = Family::Type::counter,
    .labels = {"upstream", "server", "reason"},
    .help = "How often a server that failed was taken out of rotation; failed trials are not counted",
    .ask = "sum by (upstream, server, reason) (increase(headgate_upstream_ejections_total[1h])) > 0"};
inline constexpr Family upstream_circuit_open{
    .name = "headgate_upstream_circuit_open",
    .type = Family::Type::gauge,
    .labels = {"upstream"},
    .help = "1 while the circuit breaker of this upstream is open or half open, else 0",
    .ask = "headgate_upstream_circuit_open == 1"};
inline constexpr Family upstream_circuit_refused{
    .name = "headgate_upstream_circuit_refused_total",
    .type = Family::Type::counter,
    .labels = {"upstream"},
    .help = "Requests that the circuit breaker of this upstream refused",
    .ask = "sum by (upstream) (rate(headgate_upstream_circuit_refused_total[5m])) > 0"};

}  // namespace headgate::observe::family
