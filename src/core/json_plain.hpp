#pragma once
// Bytes that represent themselves in a JSON string, whatever surrounds them: ASCII without controls, '"' and '\'.

#include "headgate/core/eight_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate {

constexpr bool is_json_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/// Checks all rules at once: a byte that breaks one sets the highest bit of at least one byte of the expression below.
constexpr bool all_json_plain(std::uint64_t eight) noexcept {
  const auto found = [eight](std::uint8_t byte) { return (eight ^ eight_of(byte)) - eight_of(1); };
  const auto control = eight - eight_of(0x20);
  // ASCII bytes differ from the searched byte only in the lower bits, so only an equal byte causes a borrow.
  return ((eight | control | found('"') | found('\\') | found(0x7f)) & eight_of(0x80)) == 0;
}

/// Returns the number of plain bytes at the front of `text`.
inline std::size_t json_plain_front(std::string_view text) noexcept {
  std::size_t at = 0;
  while (text.size() - at >= sizeof(std::uint64_t) && all_json_plain(load_eight(text.data() + at)))
    at += sizeof(std::uint64_t);
  while (at < text.size() && is_json_plain(text[at])) ++at;
  return at;
}

}  // namespace headgate
