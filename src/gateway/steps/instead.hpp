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

/// Returns whether another model may be written into the body, which was read: it names one, no two servers could read
/// it differently, and no field has its digest or signature.
bool may_change_model(const Exchange& x) noexcept;

}  // namespace headgate::gateway
