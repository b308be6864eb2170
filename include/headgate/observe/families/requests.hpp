#pragma once
// Metrics of requests by route, and of the metrics themselves.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family build_info{.name = "headgate_build_info",
                                   .type = Type::gauge,
                                   .labels = {"version", "commit"},
                                   .help = "Running version and the commit it was built from; always 1",
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
inline constexpr Family overhead_seconds{
    .name = "headgate_overhead_seconds",
    .type = Type::histogram,
    .labels = {"route"},
    .help =
        "Time that the gateway itself took, including calls to Redis; without servers, slow clients and configured "
        "waits",
    .ask = "histogram_quantile(0.99, sum by (le, route) (rate(headgate_overhead_seconds_bucket[5m])))",
    .bounds = bounds::kOverhead};
inline constexpr Family requests_in_flight{.name = "headgate_requests_in_flight",
                                           .type = Type::gauge,
                                           .labels = {"route"},
                                           .help = "Requests in progress, from the choice of their route on",
                                           .ask = "sum by (route) (headgate_requests_in_flight)"};
inline constexpr Family sent_elsewhere{
    .name = "headgate_sent_elsewhere_total",
    .type = Type::counter,
    .labels = {"route", "reason"},
    .help = "Requests that went to the `on_reject` upstream, because a `limit` rejected them or a `circuit` was open",
    .ask = "sum by (route, reason) (rate(headgate_sent_elsewhere_total[5m]))"};
inline constexpr Family received_bytes{.name = "headgate_received_bytes_total",
                                       .type = Type::counter,
                                       .labels = {"route"},
                                       .help = "Bytes of request bodies read",
                                       .ask = "sum by (route) (rate(headgate_received_bytes_total[5m]))"};
inline constexpr Family sent_bytes{.name = "headgate_sent_bytes_total",
                                   .type = Type::counter,
                                   .labels = {"route"},
                                   .help = "Bytes of answers sent, including heads",
                                   .ask = "sum by (route) (rate(headgate_sent_bytes_total[5m]))"};
inline constexpr Family routes_counted{
    .name = "headgate_routes_counted",
    .type = Type::gauge,
    .labels = {},
    .help = "Routes with their own series: the first 1,000 that got a request; the others are in `_OTHER`",
    .ask = "headgate_routes_counted >= 1000"};
inline constexpr Family metric_series{.name = "headgate_metric_series",
                                      .type = Type::gauge,
                                      .labels = {},
                                      .help = "Series in this answer, including this one",
                                      .ask = "headgate_metric_series > 40000"};

}  // namespace headgate::observe::family
