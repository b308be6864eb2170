#pragma once
// Lets a request pass whose hold does not fit, with a smaller maximum of output.

#include "gateway/limits/round.hpp"

namespace headgate::gateway {

/// Called when the limits of `round` have rejected the request. If they did so only because of holds with Hold::clamp,
/// and smaller holds might fit, sets x.clamped to the maximum of output that fits into what is left, or to the smallest
/// one that the limits accept (Hold::at_least), and returns true: the caller then asks the limits once more. That
/// second question is needed even if the smallest maximum does not fit: what is left may come from a known rejection
/// that is out of date, and the caller is told when the smallest one will fit.
bool clamp_output(Exchange& x, const Round& round);

}  // namespace headgate::gateway
