#pragma once
// What a configuration says of paths, in words.

#include "headgate/gateway/options.hpp"

#include <string>

namespace headgate::config {

/// What follows where a route keeps encoded slashes, a line for each such route; "" where none does.
std::string kept_slashes(const gateway::Options& options);

}  // namespace headgate::config
