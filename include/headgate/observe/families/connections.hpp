#pragma once
// Metrics of all client connections, and of the spans that are sent to a collector.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family connections_open{.name = "headgate_connections_open",
                                         .type = Type::gauge,
                                         .labels = {"listener"},
                                         .help = "Open client connections",
                                         .ask = "sum by (listener) (headgate_connections_open)"};
inline constexpr Family connections_made{
    .name = "headgate_connections_total",
    .type = Type::counter,
    .labels = {"listener", "result"},
    .help = "Client connections: `accepted`, or `refused` by a bound",
    .ask = "sum by (listener) (rate(headgate_connections_total{result=\"accepted\"}[5m]))"};
inline constexpr Family http2_ended{
    .name = "headgate_http2_connections_ended_total",
    .type = Type::counter,
    .labels = {"listener", "reason"},
    .help = "HTTP/2 connections ended because of abuse by the client: `resets`, `glitches`, `queue` or `head`",
    .ask = "sum by (reason) (rate(headgate_http2_connections_ended_total[5m]))"};
inline constexpr Family trace_spans{
    .name = "headgate_trace_spans_total",
    .type = Type::counter,
    .labels = {"result"},
    .help = "Spans that the collector accepted (`exported`) or refused (`rejected`), or that were lost (`dropped`)",
    .ask = "sum by (result) (rate(headgate_trace_spans_total[5m]))"};
inline constexpr Family trace_retries{.name = "headgate_trace_retries_total",
                                      .type = Type::counter,
                                      .labels = {},
                                      .help = "Repeated attempts to send a batch of spans",
                                      .ask = "rate(headgate_trace_retries_total[5m]) > 0"};
inline constexpr Family connections_active{.name = "headgate_connections_active",
                                           .type = Type::gauge,
                                           .labels = {},
                                           .help = "Client connections that count for `bounds.connections`",
                                           .ask = "headgate_connections_active"};
inline constexpr Family connections_refused{
    .name = "headgate_connections_refused_total",
    .type = Type::counter,
    .labels = {"reason"},
    .help = "Connections refused by a bound: in total, per address, new ones per second, or bytes in buffers",
    .ask = "sum by (reason) (rate(headgate_connections_refused_total[5m])) > 0"};
inline constexpr Family connections_gave_way{
    .name = "headgate_connections_gave_way_total",
    .type = Type::counter,
    .labels = {},
    .help =
        "Connections without a request that were closed for new ones at `bounds.connections`: of the address with the "
        "most, or of trusted proxies and exempt addresses if there is no other",
    .ask = "increase(headgate_connections_gave_way_total[1h]) > 0"};
inline constexpr Family own_wants{.name = "headgate_descriptors_short_total",
                                  .type = Type::counter,
                                  .labels = {},
                                  .help = "Connections to servers that failed for lack of descriptors",
                                  .ask = "increase(headgate_descriptors_short_total[1h]) > 0"};
inline constexpr Family accept_pauses{.name = "headgate_accept_pauses_total",
                                      .type = Type::counter,
                                      .labels = {},
                                      .help = "Pauses in accepting connections for lack of descriptors",
                                      .ask = "increase(headgate_accept_pauses_total[1h]) > 0"};
inline constexpr Family buffered_bytes{.name = "headgate_buffered_bytes",
                                       .type = Type::gauge,
                                       .labels = {},
                                       .help = "Bytes in connection buffers, accurate to 256 KiB per worker",
                                       .ask = "headgate_buffered_bytes"};

}  // namespace headgate::observe::family
