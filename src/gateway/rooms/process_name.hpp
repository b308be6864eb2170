#pragma once
// A name for tokens in Redis that no other process uses.

#include <random>
#include <string>

namespace headgate::gateway {

/// Random, with a dot at its end: a number may follow.
inline std::string process_name() {
  std::random_device random;
  return std::to_string(random()) + "." + std::to_string(random()) + ".";
}

}  // namespace headgate::gateway
