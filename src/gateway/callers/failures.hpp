#pragma once
// Failed attempts to authenticate, which are charged to the address of the caller: a built-in limit, in memory.

#include "gateway/path.hpp"

namespace headgate::gateway {

/// Takes one attempt; the problem if its address has none left.
MaybeProblem reserve_failure(Path& path, Exchange& x);
/// It was none.
void return_failure(Path& path, Exchange& x);
/// The problem if its address has no attempt left. Takes none.
MaybeProblem no_failure_left(Path& path, Exchange& x);

}  // namespace headgate::gateway
