#pragma once
// The row of the table of metrics that says what is wrong with a gateway.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

inline constexpr Family reason{
    .name = "headgate_reason",
    .type = Family::Type::gauge,
    .labels = {"reason", "subject", "severity"},
    .help =
        "1 while something is wrong with this gateway, by `reason` and what it is about, as `headgate status` lists "
        "it; there is no series for what is right",
    .ask = "headgate_reason{severity!=\"info\"} == 1"};

}  // namespace headgate::observe::family
