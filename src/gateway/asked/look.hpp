#pragma once
// A request that is only asked about, on the path of all requests.

#include "gateway/path/path.hpp"

namespace headgate::gateway {

/// Takes the steps up to `serve` as a request does, and takes nothing. What it says is what the request would be told.
/// Uses the snapshot of `x`, or the current one if it has none.
Task<MaybeProblem> look(Path& path, Exchange& x);

}  // namespace headgate::gateway
