#pragma once
// Failed attempts to authenticate, which are charged to the address of the caller: a built-in limit, in memory.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/limiter.hpp"

namespace headgate::gateway {

/// Takes one attempt; the problem if its address has none left.
MaybeProblem reserve_failure(limit::Limiter& memory, Exchange& x);
/// It was none.
void return_failure(limit::Limiter& memory, Exchange& x);
/// The problem if its address has no attempt left. Takes none.
MaybeProblem no_failure_left(limit::Limiter& memory, Exchange& x);

}  // namespace headgate::gateway
