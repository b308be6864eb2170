#pragma once
// Whole numbers in texts of one word.

#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>

namespace headgate {

/// The number, if `text` is nothing but the digits of one from `least` to `most`; of a negative one with '-' before
/// them.
template <std::integral T>
std::optional<T> whole_number(std::string_view text, T least = std::numeric_limits<T>::min(),
                              T most = std::numeric_limits<T>::max()) noexcept {
  T out{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end && out >= least && out <= most ? std::optional(out) : std::nullopt;
}

}  // namespace headgate
