#pragma once
// All metrics with name, labels, meaning and bounds. docs/metrics.md is written from this table.

#include "headgate/observe/metrics_family.hpp"
#include "headgate/observe/metrics_of_candidate.hpp"
#include "headgate/observe/metrics_of_limits.hpp"
#include "headgate/observe/metrics_of_requests.hpp"
#include "headgate/observe/metrics_of_servers.hpp"

#include <span>

namespace headgate::observe {

/// All families in the order of the output.
std::span<const Family* const> families() noexcept;

namespace family {

using Type = Family::Type;

inline constexpr Family build_info{
    .name = "headgate_build_info",
    .type = Type::gauge,
    .labels = {"version", "commit"},
    .help = "The version that is running, and the commit that it was built from; always 1",
    .ask = "count by (version) (headgate_build_info)"};

inline constexpr Family tls_handshakes{.name = "headgate_tls_handshakes_total",
                                       .type = Type::counter,
                                       .labels = {"result", "version"},
                                       .help = "TLS handshakes with clients, by how they ended",
                                       .ask = "sum by (result, version) (rate(headgate_tls_handshakes_total[5m]))"};
inline constexpr Family certificate_expiry{
    .name = "headgate_certificate_expiry_timestamp_seconds",
    .type = Type::gauge,
    .labels = {"file"},
    .help =
        "When the first certificate of a file ends that listeners or upstreams use, in seconds since 1970; of a file "
        "of "
        "authorities the last",
    .ask = "headgate_certificate_expiry_timestamp_seconds - time() < 14 * 86400"};
inline constexpr Family ocsp_expiry{.name = "headgate_certificate_ocsp_expiry_timestamp_seconds",
                                    .type = Type::gauge,
                                    .labels = {"file"},
                                    .help = "When the OCSP response of a certificate ends, in seconds since 1970",
                                    .ask = "headgate_certificate_ocsp_expiry_timestamp_seconds - time() < 3600"};
inline constexpr Family certificate_reads{
    .name = "headgate_certificate_reads_total",
    .type = Type::counter,
    .labels = {"result"},
    .help = "Changes of a listener's certificates and OCSP responses: in use since, or refused because they do not fit",
    .ask = "increase(headgate_certificate_reads_total{result=\"refused\"}[1h]) > 0"};

inline constexpr Family grpc_requests{
    .name = "headgate_grpc_requests_total",
    .type = Type::counter,
    .labels = {"route", "grpc_status"},
    .help = "Calls of gRPC by the status of their answer, the gateway's own answers included",
    .ask = "sum by (route, grpc_status) (rate(headgate_grpc_requests_total{grpc_status!=\"OK\"}[5m]))"};
inline constexpr Family auth{.name = "headgate_auth_total",
                             .type = Type::counter,
                             .labels = {"route", "kind", "result"},
                             .help = "Results of checking credentials",
                             .ask = "sum by (kind, result) (rate(headgate_auth_total{result!=\"ok\"}[5m]))"};
inline constexpr Family password_checks{.name = "headgate_password_checks_total",
                                        .type = Type::counter,
                                        .labels = {},
                                        .help = "Passwords that were compared with a hash, and not remembered",
                                        .ask = "rate(headgate_password_checks_total[5m])"};
inline constexpr Family password_check_seconds{
    .name = "headgate_password_check_seconds_total",
    .type = Type::counter,
    .labels = {},
    .help = "Time that these comparisons took, on threads of their own",
    .ask = "rate(headgate_password_check_seconds_total[5m]) / rate(headgate_password_checks_total[5m])"};
inline constexpr Family passwords_waiting{.name = "headgate_passwords_waiting",
                                          .type = Type::gauge,
                                          .labels = {},
                                          .help = "Passwords that wait to be compared",
                                          .ask = "headgate_passwords_waiting"};
inline constexpr Family key_source_up{
    .name = "headgate_key_source_up",
    .type = Type::gauge,
    .labels = {"source"},
    .help = "1 if the last attempt to read or fetch this source of keys (a file, a JWK Set) succeeded, else 0",
    .ask = "headgate_key_source_up == 0"};
inline constexpr Family key_source_keys{.name = "headgate_key_source_keys",
                                        .type = Type::gauge,
                                        .labels = {"source"},
                                        .help = "Active keys from this source; blocks, of a file of addresses",
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
inline constexpr Family server_in_flight{.name = "headgate_upstream_in_flight",
                                         .type = Type::gauge,
                                         .labels = {"upstream", "server"},
                                         .help = "Attempts under way with a server, also those that still connect",
                                         .ask = "sum by (upstream, server) (headgate_upstream_in_flight)"};
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

inline constexpr Family gateways{
    .name = "headgate_gateways",
    .type = Type::gauge,
    .labels = {"kind"},
    .help =
        "Gateways that share Redis: `seen` in the last minute that Redis was there, as the configuration says "
        "(`configured`), and the larger of both (`counted`), of which each grants its part while Redis is away",
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
