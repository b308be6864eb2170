#pragma once
// Reads `per` of a limit as a user writes it.

#include "headgate/gateway/key_source.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace headgate::test {

/// Throws std::invalid_argument if no source has this name.
inline limit::Per make_per(std::string_view text) {
  if (auto per = gateway::read_per(text)) return *per;
  throw std::invalid_argument(std::string(text) + " is nothing to count by");
}

}  // namespace headgate::test
