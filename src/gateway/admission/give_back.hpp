#pragma once
// What a request took, and does not need: it is refused after limits let it through.

#include "gateway/path/path.hpp"

namespace headgate::gateway {

/// Gives back all permits that limits have taken for `x`, wherever they were counted. Whatever refuses a
/// request that limits let through, and whatever limit rejects it after others took, comes here; a round that fails
/// returns only what it took itself. Does nothing the second time, and for a request that is only looked at.
void give_back(Path& path, Exchange& x);

}  // namespace headgate::gateway
