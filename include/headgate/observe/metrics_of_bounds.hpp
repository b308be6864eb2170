#pragma once
// The rows of the table of metrics that are about bounds.

#include "headgate/observe/metrics_family.hpp"

namespace headgate::observe::family {

inline constexpr Family bound_used{.name = "headgate_bound_used",
                                   .type = Family::Type::gauge,
                                   .labels = {"bound"},
                                   .help = "How much of a bound of this gateway is used, as `headgate bounds` lists it",
                                   .ask = "headgate_bound_used / headgate_bound_limit > 0.8"};
inline constexpr Family bound_limit{.name = "headgate_bound_limit",
                                    .type = Family::Type::gauge,
                                    .labels = {"bound"},
                                    .help = "How much of it may be used",
                                    .ask = "headgate_bound_limit"};

}  // namespace headgate::observe::family
