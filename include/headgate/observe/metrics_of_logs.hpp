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

}  // namespace headgate::observe::family
