#pragma once
// A name for tokens in Redis that no other process uses.

#include "headgate/core/random.hpp"

#include <string>

namespace headgate::gateway {

/// Returns a random name that ends with a dot, so that a number may follow.
inline std::string process_name(Random& random) { return std::to_string(random()) + "."; }

}  // namespace headgate::gateway
