#pragma once
// The answer to a caller who has to wait: a page for a browser (no scripts, nothing to load, readable in light and dark
// and for screen readers), problem+json for a program.

#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/waiting_room.hpp"

namespace headgate::gateway {

/// Fills the parts of the page that are the same for all callers.
void prepare_page(CompiledRoom& room);

/// Writes the answer as the reply, with the ticket. Records the problem in `x`.
Task<void> send_wait(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
