#pragma once
// The answer to a caller in a waiting room: a page for browsers (no scripts, loads nothing, readable in light and dark
// and with screen readers), problem+json for programs.

#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/waiting_room.hpp"

namespace headgate::gateway {

/// Prepares the parts of the page that are the same for all callers.
void prepare_page(CompiledRoom& room);

/// Sends the answer with the ticket. Records the problem in `x`.
Task<void> send_wait(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
