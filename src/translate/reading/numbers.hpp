#pragma once
// Whole numbers as configurations have them.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::translate {

/// Of the whole text, up to 10^9.
inline std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  constexpr std::uint64_t kMax = 1'000'000'000;
  std::uint64_t out = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (wrong != std::errc() || end != text.data() + text.size() || out > kMax) return std::nullopt;
  return out;
}

}  // namespace headgate::translate
