#pragma once
// The rows of the table of metrics that are about logs and traces.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

inline constexpr Family log_left_out{
    .name = "headgate_log_left_out_total",
    .type = Family::Type::counter,
    .labels = {"reason"},
    .help = "Lines that the access log leaves out on purpose: `keep_ok` or `refusals_every`",
    .ask = "sum by (reason) (rate(headgate_log_left_out_total[5m]))"};

inline constexpr Family trace_spans{
    .name = "headgate_trace_spans_total",
    .type = Family::Type::counter,
    .labels = {"result"},
    .help = "Spans that the collector took (`exported`) or refused (`rejected`), or that were lost (`dropped`)",
    .ask = "sum by (result) (rate(headgate_trace_spans_total[5m]))"};
inline constexpr Family trace_retries{.name = "headgate_trace_retries_total",
                                      .type = Family::Type::counter,
                                      .labels = {},
                                      .help = "Attempts to send a batch of spans again",
                                      .ask = "rate(headgate_trace_retries_total[5m]) > 0"};

}  // namespace headgate::observe::family
