#pragma once
// The metrics of upstreams and their servers, and of what happens to requests and answers on the way.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

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
    .name = "headgate_upstream_concurrency_in_flight",
    .type = Type::gauge,
    .labels = {"upstream", "worker"},
    .help = "Requests of this worker that wait for the head of their answer, where there is an adaptive limit",
    .ask =
        "sum by (upstream) (headgate_upstream_concurrency_in_flight) / sum by (upstream) "
        "(headgate_upstream_concurrency_limit)"};
inline constexpr Family server_in_flight{.name = "headgate_upstream_in_flight",
                                         .type = Type::gauge,
                                         .labels = {"upstream", "server"},
                                         .help = "Attempts under way with a server, also those that still connect",
                                         .ask = "sum by (upstream, server) (headgate_upstream_in_flight)"};
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
    .help =
        "How late this worker came to its last measurement: one each second, or ten where `shedding.loop_lag` is set",
    .ask = "max(headgate_event_loop_lag_seconds) > 0.05"};
inline constexpr Family retries{.name = "headgate_upstream_retries_total",
                                .type = Type::counter,
                                .labels = {"upstream", "reason"},
                                .help = "Requests that were sent again, by why",
                                .ask = "sum by (upstream, reason) (rate(headgate_upstream_retries_total[5m]))"};
inline constexpr Family retry_budget_exhausted{
    .name = "headgate_retry_budget_exhausted_total",
    .type = Type::counter,
    .labels = {"upstream"},
    .help = "Requests that were not sent again because the budget of their upstream was used up",
    .ask = "rate(headgate_retry_budget_exhausted_total[5m]) > 0"};
inline constexpr Family mirrored{.name = "headgate_mirrored_requests_total",
                                 .type = Type::counter,
                                 .labels = {"upstream", "result"},
                                 .help = "Copies of requests for an upstream that mirrors, by what became of them",
                                 .ask = "sum by (upstream, result) (rate(headgate_mirrored_requests_total[5m]))"};
inline constexpr Family compressed{.name = "headgate_compressed_answers_total",
                                   .type = Type::counter,
                                   .labels = {"coding"},
                                   .help = "Answers that were compressed, by how",
                                   .ask = "sum by (coding) (rate(headgate_compressed_answers_total[5m]))"};
inline constexpr Family compressed_bytes{.name = "headgate_compressed_bytes_total",
                                         .type = Type::counter,
                                         .labels = {"coding", "side"},
                                         .help = "Bytes of the bodies of compressed answers, `before` and `after` it",
                                         .ask =
                                             "sum(rate(headgate_compressed_bytes_total{side=\"after\"}[5m])) / "
                                             "sum(rate(headgate_compressed_bytes_total{side=\"before\"}[5m]))"};
inline constexpr Family not_compressed{
    .name = "headgate_not_compressed_total",
    .type = Type::counter,
    .labels = {},
    .help =
        "Answers that were sent as they are because others that are compressed hold all the memory there is for that",
    .ask = "rate(headgate_not_compressed_total[5m]) > 0"};
inline constexpr Family upstream_handshakes{
    .name = "headgate_upstream_tls_handshakes_total",
    .type = Type::counter,
    .labels = {"upstream", "result"},
    .help = "TLS handshakes with the servers of an upstream, by how they ended",
    .ask = "sum by (upstream) (rate(headgate_upstream_tls_handshakes_total{result=\"untrusted\"}[5m])) > 0"};
inline constexpr Family upstream_requests{
    .name = "headgate_upstream_requests_total",
    .type = Type::counter,
    .labels = {"upstream", "server", "code"},
    .help = "Attempts at servers by the status that the server answered, or `-` without an answer",
    .ask = "sum by (upstream, server) (rate(headgate_upstream_requests_total{code=~\"5..|-\"}[5m]))"};
inline constexpr Family upstream_seconds{
    .name = "headgate_upstream_duration_seconds",
    .type = Type::histogram,
    .labels = {"upstream"},
    .help = "Time from sending a request to a server to the head of its answer",
    .ask = "histogram_quantile(0.99, sum by (le, upstream) (rate(headgate_upstream_duration_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};
inline constexpr Family upstream_server_up{
    .name = "headgate_upstream_server_up",
    .type = Type::gauge,
    .labels = {"upstream", "server"},
    .help =
        "1 if this server gets requests and answers, 0 if it is out of rotation, or if at least its last "
        "three attempts had no answer, also while it still gets requests because no other is left",
    .ask = "headgate_upstream_server_up == 0"};
inline constexpr Family upstream_ejections{
    .name = "headgate_upstream_ejections_total",
    .type = Type::counter,
    .labels = {"upstream", "server", "reason"},
    .help = "How often a server that failed was taken out of rotation; failed trials are not counted",
    .ask = "sum by (upstream, server, reason) (increase(headgate_upstream_ejections_total[1h])) > 0"};
inline constexpr Family upstream_circuit_open{
    .name = "headgate_upstream_circuit_open",
    .type = Type::gauge,
    .labels = {"upstream"},
    .help = "1 while the circuit breaker of this upstream is open or half open, else 0",
    .ask = "headgate_upstream_circuit_open == 1"};
inline constexpr Family upstream_circuit_refused{
    .name = "headgate_upstream_circuit_refused_total",
    .type = Type::counter,
    .labels = {"upstream"},
    .help = "Requests that the circuit breaker of this upstream refused",
    .ask = "sum by (upstream) (rate(headgate_upstream_circuit_refused_total[5m])) > 0"};
inline constexpr Family upstream_health_checks{
    .name = "headgate_upstream_health_checks_total",
    .type = Type::counter,
    .labels = {"upstream", "server", "result"},
    .help = "Health checks of servers that have ended, by result: `passed` or `failed`",
    .ask = "sum by (upstream, server) (rate(headgate_upstream_health_checks_total{result=\"failed\"}[5m])) > 0"};

}  // namespace headgate::observe::family
