#pragma once
// The answer to a caller who has to wait: a page for a browser, problem+json for a program.

#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// Writes the answer as the reply, with the ticket. Records the problem in `x`.
Task<void> send_wait(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
