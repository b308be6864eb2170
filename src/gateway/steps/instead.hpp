#pragma once
// Sends to another upstream what a limit rejects, and what an open circuit refuses (`on_reject`).

#include "gateway/path/path.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/steps.hpp"

namespace headgate::gateway {

/// Whether a request that is refused with `problem` goes to another upstream. At most once: what that one refuses is
/// refused.
bool goes_elsewhere(const Exchange& x, const Problem& problem) noexcept;

/// Changes the route of `x`. Returns which of its further steps it takes: all that say who is calling, and those of the
/// other upstream. A request that a limit rejected is asked no further limit; all others are counted as usual.
StepSet go_elsewhere(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
