#pragma once
// Describes in words how a configuration treats paths.

#include "headgate/gateway/options.hpp"

#include <string>

namespace headgate::config {

/// Explains the effect of routes that keep encoded slashes, one line per route; "" if there is none.
std::string kept_slashes(const gateway::Options& options);

}  // namespace headgate::config
