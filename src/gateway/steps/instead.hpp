#pragma once
// Sends requests to another upstream if a limit rejects them or an open circuit refuses them (`on_reject`).

#include "gateway/path/path.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/steps.hpp"

namespace headgate::gateway {

/// Returns whether a request that is refused with `problem` goes to the other upstream. A request goes there at most
/// once.
bool goes_elsewhere(const Exchange& x, const Problem& problem) noexcept;

/// Changes the route of `x`. Returns the steps that the request still takes: all steps that identify the caller, and
/// those of the other upstream. If a limit has rejected the request, no further limit checks it. Otherwise limits count
/// it as usual.
StepSet go_elsewhere(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
