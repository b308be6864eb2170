#pragma once
// The permits that calls under way hold until their costs are known, and what they mean for a request that is rejected
// meanwhile. Only limits with a settled cost record them.

#include "gateway/limits/round.hpp"
#include "gateway/path/path.hpp"

namespace headgate::gateway {

/// Records the permits that the round has taken for costs that only the answer says.
void begin_holds(Path& path, Exchange& x, const Round& round);

/// Records that a call has taken `more` permits in addition to those that it holds of the counter of this check. The
/// counter is full again after `reset_after`.
void raise_hold(Exchange& x, const limit::Check& more, Duration reset_after);

/// Ends the holds of `x`, because its costs are settled or its permits were given back. Further calls do nothing.
void end_holds(Path& path, Exchange& x);

/// Shortens the wait of each rule of the round that rejected the request only because calls under way hold its permits:
/// the permits that they do not use come back when they end. `agreed` is whether the round allowed the request.
void expect_ends(Path& path, Exchange& x, const Round& round, bool agreed);

/// Adds the status and the words of a rejection to `told`, and for a limit with a settled cost what is left and what
/// calls under way hold. The binding limit has rejected the request, which may fit later.
void tell_budget(Path& path, Exchange& x, Problem& told);

}  // namespace headgate::gateway
