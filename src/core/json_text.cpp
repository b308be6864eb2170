#include "headgate/core/json_text.hpp"

#include "headgate/core/eight_bytes.hpp"

#include <array>

namespace headgate {
namespace {

/// Whether a byte needs no escape in a JSON string.
constexpr auto kPlain = [] {
  std::array<bool, 256> out{};
  for (unsigned byte = 0x20; byte < 0x7f; ++byte) out[byte] = byte != '"' && byte != '\\';
  return out;
}();

/// All rules at once: where a byte breaks one, the highest bit of one byte is set.
constexpr bool all_plain(std::uint64_t eight) noexcept {
  const auto found = [eight](std::uint8_t byte) { return (eight ^ eight_of(byte)) - eight_of(1); };
  const auto control = eight - eight_of(0x20);
  // ASCII differs from what is looked for in the lower bits only, so that a difference of none alone borrows.
  return ((eight | control | found('"') | found('\\') | found(0x7f)) & eight_of(0x80)) == 0;
}

void write_byte(TextCursor& out, char c) noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (kPlain[byte]) return out.character(c);
  if (byte == '"' || byte == '\\') {
    out.character('\\');
    return out.character(c);
  }
  out.word("\\u00");
  out.character(kDigits[byte >> 4]);
  out.character(kDigits[byte & 15]);
}

}  // namespace

void write_json_text(TextCursor& out, std::string_view text) noexcept {
  constexpr std::size_t kEight = sizeof(std::uint64_t);
  while (text.size() >= kEight) {
    const auto eight = text.substr(0, kEight);
    if (const auto bytes = load_eight(eight.data()); all_plain(bytes)) {
      std::memcpy(out.at(), &bytes, kEight);
      out.at(out.at() + kEight);
    } else {
      for (const char c : eight) write_byte(out, c);
    }
    text.remove_prefix(kEight);
  }
  for (const char c : text) write_byte(out, c);
}

void append_json_text(std::string& out, std::string_view text) {
  append_text(out, kMaxJsonBytes * text.size(), [text](TextCursor& cursor) { write_json_text(cursor, text); });
}

}  // namespace headgate
