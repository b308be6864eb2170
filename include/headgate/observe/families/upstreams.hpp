#pragma once
// Metrics of upstreams and their servers, and of how requests and answers are changed in transit.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family shed{.name = "headgate_shed_total",
                             .type = Type::counter,
                             .labels = {"upstream", "layer", "priority"},
                             .help = "Requests refused because of overload, by the layer that refused them",
                             .ask = "sum by (upstream, layer, priority) (rate(headgate_shed_total[5m]))"};
inline constexpr Family upstream_concurrency_limit{
    .name = "headgate_upstream_concurrency_limit",
    .type = Type::gauge,
    .labels = {"upstream", "worker"},
    .help = "Adaptive limit: concurrent requests that this worker may have at the upstream",
    .ask = "sum by (upstream) (headgate_upstream_concurrency_limit)"};
inline constexpr Family upstream_in_flight{
    .name = "headgate_upstream_concurrency_in_flight",
    .type = Type::gauge,
    .labels = {"upstream", "worker"},
    .help = "Requests of this worker that wait for the head of their answer, at upstreams with an adaptive limit",
    .ask =
        "sum by (upstream) (headgate_upstream_concurrency_in_flight) / sum by (upstream) "
        "(headgate_upstream_concurrency_limit)"};
inline constexpr Family server_in_flight{.name = "headgate_upstream_in_flight",
                                         .type = Type::gauge,
                                         .labels = {"upstream", "server"},
                                         .help = "Attempts in progress at a server, including those that still connect",
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
    .help = "Time in the queue of requests that got a place at the upstream",
    .ask = "histogram_quantile(0.99, sum by (le, upstream) (rate(headgate_queue_seconds_bucket[5m])))",
    .bounds = bounds::kRequest};
inline constexpr Family event_loop_lag{
    .name = "headgate_event_loop_lag_seconds",
    .type = Type::gauge,
    .labels = {"worker"},
    .help = "Delay of this worker's last lag measurement; one a second, or ten with `shedding.loop_lag`",
    .ask = "max(headgate_event_loop_lag_seconds) > 0.05"};
inline constexpr Family retries{.name = "headgate_upstream_retries_total",
                                .type = Type::counter,
                                .labels = {"upstream", "reason"},
                                .help = "Requests that were sent again, by reason",
                                .ask = "sum by (upstream, reason) (rate(headgate_upstream_retries_total[5m]))"};
inline constexpr Family retry_budget_exhausted{
    .name = "headgate_retry_budget_exhausted_total",
    .type = Type::counter,
    .labels = {"upstream"},
    .help = "Requests that were not sent again because the upstream's retry budget was used up",
    .ask = "rate(headgate_retry_budget_exhausted_total[5m]) > 0"};
inline constexpr Family mirrored{.name = "headgate_mirrored_requests_total",
                                 .type = Type::counter,
                                 .labels = {"upstream", "result"},
                                 .help = "Copies of requests for a mirroring upstream, by result",
                                 .ask = "sum by (upstream, result) (rate(headgate_mirrored_requests_total[5m]))"};
inline constexpr Family compressed{.name = "headgate_compressed_answers_total",
                                   .type = Type::counter,
                                   .labels = {"coding"},
                                   .help = "Compressed answers, by coding",
                                   .ask = "sum by (coding) (rate(headgate_compressed_answers_total[5m]))"};
inline constexpr Family compressed_bytes{.name = "headgate_compressed_bytes_total",
                                         .type = Type::counter,
                                         .labels = {"coding", "side"},
                                         .help = "Body bytes of compressed answers, `before` and `after` compression",
                                         .ask =
                                             "sum(rate(headgate_compressed_bytes_total{side=\"after\"}[5m])) / "
                                             "sum(rate(headgate_compressed_bytes_total{side=\"before\"}[5m]))"};
inline constexpr Family not_compressed{.name = "headgate_not_compressed_total",
                                       .type = Type::counter,
                                       .labels = {},
                                       .help = "Answers not compressed because the memory for compression was in use",
                                       .ask = "rate(headgate_not_compressed_total[5m]) > 0"};
inline constexpr Family upstream_handshakes{
    .name = "headgate_upstream_tls_handshakes_total",
    .type = Type::counter,
    .labels = {"upstream", "result"},
    .help = "TLS handshakes with an upstream's servers, by result",
    .ask = "sum by (upstream) (rate(headgate_upstream_tls_handshakes_total{result=\"untrusted\"}[5m])) > 0"};
inline constexpr Family upstream_requests{
    .name = "headgate_upstream_requests_total",
    .type = Type::counter,
    .labels = {"upstream", "server", "code"},
    .help = "Attempts at servers by the server's status, or `-` without an answer",
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
        "1 if this server gets requests and answers; 0 if it is out of rotation, or if its last three attempts or more "
        "had no answer, even if it still gets requests for lack of another",
    .ask = "headgate_upstream_server_up == 0"};
inline constexpr Family upstream_ejections{
    .name = "headgate_upstream_ejections_total",
    .type = Type::counter,
    .labels = {"upstream", "server", "reason"},
    .help = "Ejections of a failing server; failed trials do not count",
    .ask = "sum by (upstream, server, reason) (increase(headgate_upstream_ejections_total[1h])) > 0"};
inline constexpr Family upstream_circuit_open{
    .name = "headgate_upstream_circuit_open",
    .type = Type::gauge,
    .labels = {"upstream"},
    .help = "1 while the circuit breaker of this upstream is open or half open, otherwise 0",
    .ask = "headgate_upstream_circuit_open == 1"};
inline constexpr Family upstream_circuit_refused{
    .name = "headgate_upstream_circuit_refused_total",
    .type = Type::counter,
    .labels = {"upstream"},
    .help = "Requests refused by the circuit breaker of this upstream",
    .ask = "sum by (upstream) (rate(headgate_upstream_circuit_refused_total[5m])) > 0"};
inline constexpr Family upstream_health_checks{
    .name = "headgate_upstream_health_checks_total",
    .type = Type::counter,
    .labels = {"upstream", "server", "result"},
    .help = "Finished health checks of servers, by result: `passed` or `failed`",
    .ask = "sum by (upstream, server) (rate(headgate_upstream_health_checks_total{result=\"failed\"}[5m])) > 0"};

}  // namespace headgate::observe::family
