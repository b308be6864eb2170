#pragma once
// Bytes that stand for themselves in a string of JSON, wherever they are: ASCII without controls, '"' and '\'.

#include "headgate/core/eight_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate {

constexpr bool is_json_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/// All rules at once: where a byte breaks one, the highest bit of one byte is set.
constexpr bool all_json_plain(std::uint64_t eight) noexcept {
  const auto found = [eight](std::uint8_t byte) { return (eight ^ eight_of(byte)) - eight_of(1); };
  const auto control = eight - eight_of(0x20);
  // ASCII differs from what is looked for in the lower bits only, so that a difference of none alone borrows.
  return ((eight | control | found('"') | found('\\') | found(0x7f)) & eight_of(0x80)) == 0;
}

/// The number of plain bytes that `text` begins with.
inline std::size_t json_plain_front(std::string_view text) noexcept {
  std::size_t at = 0;
  while (text.size() - at >= sizeof(std::uint64_t) && all_json_plain(load_eight(text.data() + at)))
    at += sizeof(std::uint64_t);
  while (at < text.size() && is_json_plain(text[at])) ++at;
  return at;
}

}  // namespace headgate
