#pragma once
// What a rejected caller is told is the longest wait that is already certain, whoever makes it wait.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// A limit rejected `x` at `stage` with `problem`. If a limit in Redis is known to reject it for longer, the caller is
/// told that wait. Redis is not asked, and an appointment stays as it is. Nothing is told of a key that needs a
/// credential before that was checked.
void tell_known_waits(Exchange& x, Stage stage, Problem& problem);

/// No request of the caller is let through before `until`: raises what `problem` and the limit's fields tell.
void tell_wait_until(Exchange& x, Instant now, Instant until, Problem& problem);

}  // namespace headgate::gateway
