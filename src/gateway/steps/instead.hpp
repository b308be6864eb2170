#pragma once
// Sends requests to another upstream if a limit rejects them or an open circuit refuses them (`on_reject`).

#include "gateway/path/path.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/steps.hpp"

namespace headgate::gateway {

/// Returns whether a request that is refused with `problem` goes to the other upstream. It does so at most once.
bool goes_elsewhere(const Exchange& x, const Problem& problem) noexcept;

/// Changes the route of `x`. Returns the further steps that the request takes: all that identify the caller, and those
/// of the other upstream. A request that a limit rejected is checked by no further limit; all others are counted as
/// usual.
StepSet go_elsewhere(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
