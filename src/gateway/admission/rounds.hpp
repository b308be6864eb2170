#pragma once
// What one round of an admission does: collects the checks of the limits that apply, has them decided, and finds the
// limit that binds.

#include "gateway/limits/round.hpp"
#include "gateway/path/path.hpp"

namespace headgate::gateway {

struct ResolvedLimit;

/// Makes the checks of every limit of the round's stage that applies. Returns a problem, and no checks, if one limit
/// refuses or rejects without a check.
MaybeProblem collect(Path& path, Exchange& x, Round& round);

/// The refusal where Redis does not answer and the limit says `reject` for that case.
Problem uncountable(const limit::Limit& limit);

/// Has the checks decided in this process, and concludes. False: a limit rejects the request.
bool decide_here(Path& path, Exchange& x, Round& round);

/// Notes what was decided, and finds the binding rule: among the limits of this round if one rejected, else among all
/// limits so far. Observed limits do not bind.
void conclude(Path& path, Exchange& x, Round& round, bool agreed);

/// Makes a problem of the rejection by the binding limit, in its place.
void tell_rejection(const Exchange& x, MaybeProblem& problem);

/// The request may keep an appointment under this limit; returns a problem if it comes too early for it.
MaybeProblem keep_appointment(Path& path, Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved);
/// Whether the round was rejected only because the appointment was used before. Then the request is checked again, like
/// any other.
bool used_before(Exchange& x, Round& round);
/// Reserves permits for later, if a limit that rejects hands out appointments.
void offer_here(Path& path, Exchange& x, Problem& problem);
Task<void> offer_in_redis(Path& path, Exchange& x, Problem& problem);

}  // namespace headgate::gateway
