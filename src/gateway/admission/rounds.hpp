#pragma once
// Functions of one round of an admission: they collect the checks of the limits that apply, decide them, and find the
// binding limit.

#include "gateway/limits/round.hpp"
#include "gateway/path/path.hpp"

namespace headgate::gateway {

struct ResolvedLimit;

/// Adds the checks of every limit of the round's stage that applies. If one limit refuses the request without a check,
/// removes the checks and returns the problem.
MaybeProblem collect(Path& path, Exchange& x, Round& round);

/// Returns the refusal for a limit with `if_redis_down: reject` while Redis does not answer.
Problem uncountable(const limit::Limit& limit);

/// Gives the hits back that waited for the last limits of a call of the rate limit service, which have allowed it.
void give_back_hits(Path& path, Exchange& x);

/// Decides the checks in this process and records the result. Returns false if a limit rejects the request.
bool decide_here(Path& path, Exchange& x, Round& round);

/// Records the decisions and finds the binding rule. If a limit of this round has rejected the request, the binding
/// rule is one of this round; otherwise it may be of any limit so far. Limits in observe mode never bind.
void conclude(Path& path, Exchange& x, Round& round, bool agreed);

/// Sets `problem` to the answer of the binding limit, which has rejected the request.
void tell_rejection(Path& path, Exchange& x, MaybeProblem& problem);

/// Checks whether the request keeps an appointment under this limit. Returns a problem if the request comes too early.
MaybeProblem keep_appointment(Path& path, Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved);
/// Returns whether the round was rejected only because the appointment had been used before. If so, the request is
/// checked again without the appointment.
bool used_before(Exchange& x, Round& round);
/// Reserves permits for later if the limit that rejected the request offers appointments.
void offer_here(Path& path, Exchange& x, Problem& problem);
Task<void> offer_in_redis(Path& path, Exchange& x, Problem& problem);

}  // namespace headgate::gateway
