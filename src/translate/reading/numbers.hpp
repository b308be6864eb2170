#pragma once
// Whole numbers in configurations.

#include "headgate/core/whole_number.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::translate {

/// Parses the whole text as a number up to 10^9.
inline std::optional<std::uint64_t> whole_count(std::string_view text) noexcept {
  return whole_number<std::uint64_t>(text, 0, 1'000'000'000);
}

}  // namespace headgate::translate
