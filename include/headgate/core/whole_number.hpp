#pragma once
// Parses whole numbers. Used by most modules.

#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>

namespace headgate {

/// Returns the number if `text` consists only of the digits of a number from `least` to `most`, with '-' in front if it
/// is negative; otherwise empty.
template <std::integral T>
std::optional<T> whole_number(std::string_view text, T least = std::numeric_limits<T>::min(),
                              T most = std::numeric_limits<T>::max()) noexcept {
  T out{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end && out >= least && out <= most ? std::optional(out) : std::nullopt;
}

}  // namespace headgate
