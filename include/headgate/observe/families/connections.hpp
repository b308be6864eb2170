#pragma once
// The metrics of client connections as a whole, and of the spans that are sent to a collector.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

using Type = Family::Type;

inline constexpr Family connections_open{.name = "headgate_connections_open",
                                         .type = Type::gauge,
                                         .labels = {"listener"},
                                         .help = "Open connections of clients",
                                         .ask = "sum by (listener) (headgate_connections_open)"};
inline constexpr Family connections_made{
    .name = "headgate_connections_total",
    .type = Type::counter,
    .labels = {"listener", "result"},
    .help = "Connections of clients: `accepted`, or `refused` by a bound",
    .ask = "sum by (listener) (rate(headgate_connections_total{result=\"accepted\"}[5m]))"};
inline constexpr Family http2_ended{
    .name = "headgate_http2_connections_ended_total",
    .type = Type::counter,
    .labels = {"listener", "reason"},
    .help =
        "Connections of HTTP/2 that were ended because their client abuses the protocol: `resets`, `glitches`, "
        "`queue` or `head`",
    .ask = "sum by (reason) (rate(headgate_http2_connections_ended_total[5m]))"};
inline constexpr Family trace_spans{
    .name = "headgate_trace_spans_total",
    .type = Type::counter,
    .labels = {"result"},
    .help = "Spans that the collector took (`exported`) or refused (`rejected`), or that were lost (`dropped`)",
    .ask = "sum by (result) (rate(headgate_trace_spans_total[5m]))"};
inline constexpr Family trace_retries{.name = "headgate_trace_retries_total",
                                      .type = Type::counter,
                                      .labels = {},
                                      .help = "Attempts to send a batch of spans again",
                                      .ask = "rate(headgate_trace_retries_total[5m]) > 0"};
inline constexpr Family connections_active{.name = "headgate_connections_active",
                                           .type = Type::gauge,
                                           .labels = {},
                                           .help = "Connections of clients that count for `bounds.connections`",
                                           .ask = "headgate_connections_active"};
inline constexpr Family connections_refused{
    .name = "headgate_connections_refused_total",
    .type = Type::counter,
    .labels = {"reason"},
    .help = "Connections refused by a bound: of all, of one address, of new ones a second, of bytes in buffers",
    .ask = "sum by (reason) (rate(headgate_connections_refused_total[5m])) > 0"};
inline constexpr Family connections_gave_way{
    .name = "headgate_connections_gave_way_total",
    .type = Type::counter,
    .labels = {},
    .help =
        "Connections without a request that were ended for a new one, because `bounds.connections` were open; each "
        "of the address that had the most, or else of trusted proxies and exempt addresses",
    .ask = "increase(headgate_connections_gave_way_total[1h]) > 0"};
inline constexpr Family own_wants{
    .name = "headgate_descriptors_short_total",
    .type = Type::counter,
    .labels = {},
    .help = "Connections to servers that could not be opened because descriptors had come to an end",
    .ask = "increase(headgate_descriptors_short_total[1h]) > 0"};
inline constexpr Family accept_pauses{
    .name = "headgate_accept_pauses_total",
    .type = Type::counter,
    .labels = {},
    .help = "Times that no connections were accepted because descriptors had come to an end",
    .ask = "increase(headgate_accept_pauses_total[1h]) > 0"};
inline constexpr Family buffered_bytes{
    .name = "headgate_buffered_bytes",
    .type = Type::gauge,
    .labels = {},
    .help = "Bytes of the buffers that connections use, to a quarter of a megabyte for each worker",
    .ask = "headgate_buffered_bytes"};

}  // namespace headgate::observe::family
