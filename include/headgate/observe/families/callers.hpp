#pragma once
// Metrics of TLS with clients, of gRPC, and of the authentication of callers.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family tls_handshakes{.name = "headgate_tls_handshakes_total",
                                       .type = Type::counter,
                                       .labels = {"result", "version"},
                                       .help = "TLS handshakes with clients, by result",
                                       .ask = "sum by (result, version) (rate(headgate_tls_handshakes_total[5m]))"};
inline constexpr Family certificate_expiry{
    .name = "headgate_certificate_expiry_timestamp_seconds",
    .type = Type::gauge,
    .labels = {"file"},
    .help =
        "Expiry of a file of certificates, in seconds since 1970: of its first certificate to expire, or of its last "
        "one for a file of authorities",
    .ask = "headgate_certificate_expiry_timestamp_seconds - time() < 14 * 86400"};
inline constexpr Family ocsp_expiry{.name = "headgate_certificate_ocsp_expiry_timestamp_seconds",
                                    .type = Type::gauge,
                                    .labels = {"file"},
                                    .help = "Expiry of a certificate's OCSP response, in seconds since 1970",
                                    .ask = "headgate_certificate_ocsp_expiry_timestamp_seconds - time() < 3600"};
inline constexpr Family certificate_reads{
    .name = "headgate_certificate_reads_total",
    .type = Type::counter,
    .labels = {"result"},
    .help = "Changes of a listener's certificates and OCSP responses: applied, or refused as unsuitable",
    .ask = "increase(headgate_certificate_reads_total{result=\"refused\"}[1h]) > 0"};
inline constexpr Family grpc_requests{
    .name = "headgate_grpc_requests_total",
    .type = Type::counter,
    .labels = {"route", "grpc_status"},
    .help = "gRPC calls by the status of their answer, including the gateway's own answers",
    .ask = "sum by (route, grpc_status) (rate(headgate_grpc_requests_total{grpc_status!=\"OK\"}[5m]))"};
inline constexpr Family auth{.name = "headgate_auth_total",
                             .type = Type::counter,
                             .labels = {"route", "kind", "result"},
                             .help = "Credential checks by result",
                             .ask = "sum by (kind, result) (rate(headgate_auth_total{result!=\"ok\"}[5m]))"};
inline constexpr Family password_checks{.name = "headgate_password_checks_total",
                                        .type = Type::counter,
                                        .labels = {},
                                        .help = "Passwords compared with a hash because they were not remembered",
                                        .ask = "rate(headgate_password_checks_total[5m])"};
inline constexpr Family password_check_seconds{
    .name = "headgate_password_check_seconds_total",
    .type = Type::counter,
    .labels = {},
    .help = "Time to compare a password with its hash, on separate threads",
    .ask = "rate(headgate_password_check_seconds_total[5m]) / rate(headgate_password_checks_total[5m])"};
inline constexpr Family passwords_waiting{.name = "headgate_passwords_waiting",
                                          .type = Type::gauge,
                                          .labels = {},
                                          .help = "Passwords that wait for comparison",
                                          .ask = "headgate_passwords_waiting"};
inline constexpr Family key_source_up{
    .name = "headgate_key_source_up",
    .type = Type::gauge,
    .labels = {"source"},
    .help = "1 if the last attempt to read or fetch this source of keys (a file or JWK Set) succeeded, otherwise 0",
    .ask = "headgate_key_source_up == 0"};
inline constexpr Family key_source_keys{.name = "headgate_key_source_keys",
                                        .type = Type::gauge,
                                        .labels = {"source"},
                                        .help = "Active keys from this source; for a file of addresses its blocks",
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

}  // namespace headgate::observe::family
