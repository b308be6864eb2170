#pragma once
// A dry run of a request on the normal path.

#include "gateway/path/path.hpp"

namespace headgate::gateway {

/// Runs the steps before `serve` as for a real request, but takes no permits. Returns the refusal that the client would
/// get; empty if there is none. Uses the snapshot of `x`, or the current one if `x` has none.
Task<MaybeProblem> look(Path& path, Exchange& x);

}  // namespace headgate::gateway
