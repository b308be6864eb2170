#pragma once
// What happens to servers that fail, in words.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::config {

/// Empty if no upstream has two servers or a circuit breaker.
std::string servers_in_words(const Config& config);

}  // namespace headgate::config
