#pragma once
// Tells a rejected caller the longest wait that is already certain, whichever limit or suspension causes it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// Call this after a limit rejected `x` at `stage` with `problem`. If a limit in Redis is known to reject the caller
/// for longer, `problem` gets the longer wait. Makes no call to Redis, and leaves an appointment unchanged. A key that
/// needs a credential is ignored until the credential was checked.
void tell_known_waits(Exchange& x, Stage stage, Problem& problem);

/// Extends the wait in `problem` and in the limit's fields to `until`, because no request of the caller is let through
/// earlier.
void tell_wait_until(Exchange& x, Instant now, Instant until, Problem& problem);

}  // namespace headgate::gateway
