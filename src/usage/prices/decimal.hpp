#pragma once
// Reads decimal numbers exactly, as whole multiples of a power of ten.

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::usage {

struct Scaled {
  std::int64_t value = 0;
  bool exact = true;  ///< false if the value was rounded up
};

/// Returns `number` times 10^`shift`, rounded up to a whole number. `number` is spelled as in JSON ("2.50", "2.5e-06").
/// Empty if it is no number, negative, or more than kMaxMicros.
std::optional<Scaled> scaled_up(std::string_view number, int shift);

}  // namespace headgate::usage
