#pragma once
// Returns permits that a request took before it was refused.

#include "gateway/path/path.hpp"

namespace headgate::gateway {

/// Gives back all permits that limits have taken for `x`, in memory and in Redis. Every step that refuses a request
/// after limits allowed it calls this function, and so does a limit that rejects a request after other limits took
/// permits. A round that fails returns its own permits itself. A second call does nothing. In a dry run, the call only
/// clears the binding limit.
void give_back(Path& path, Exchange& x);

}  // namespace headgate::gateway
