#include "headgate/core/json_text.hpp"

#include "headgate/core/eight_bytes.hpp"

#include <algorithm>

namespace headgate {
namespace {

/// All rules at once: where a byte breaks one, the highest bit of one byte is set.
constexpr bool all_plain(std::uint64_t eight) noexcept {
  const auto found = [eight](std::uint8_t byte) { return (eight ^ eight_of(byte)) - eight_of(1); };
  const auto control = eight - eight_of(0x20);
  // ASCII differs from what is looked for in the lower bits only, so that a difference of none alone borrows.
  return ((eight | control | found('"') | found('\\') | found(0x7f)) & eight_of(0x80)) == 0;
}

constexpr bool is_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/// Whether `text` needs no escape at all, as nearly every text of a log line.
bool plain(std::string_view text) noexcept {
  constexpr std::size_t kEight = sizeof(std::uint64_t);
  if (text.size() < kEight) return std::all_of(text.begin(), text.end(), is_plain);
  const char* const last = text.data() + text.size() - kEight;
  for (const char* at = text.data(); at < last; at += kEight)
    if (!all_plain(load_eight(at))) return false;
  return all_plain(load_eight(last));  // some of its bytes a second time
}

void write_byte(TextCursor& out, char c) noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (is_plain(c)) return out.character(c);
  if (c == '"' || c == '\\') {
    out.character('\\');
    return out.character(c);
  }
  const auto byte = static_cast<unsigned char>(c);
  out.word("\\u00");
  out.character(kDigits[byte >> 4]);
  out.character(kDigits[byte & 15]);
}

}  // namespace

void write_json_text(TextCursor& out, std::string_view text) noexcept {
  if (plain(text)) return out.text(text);
  for (const char c : text) write_byte(out, c);
}

void append_json_text(std::string& out, std::string_view text) {
  append_text(out, kMaxJsonBytes * text.size(), [text](TextCursor& cursor) { write_json_text(cursor, text); });
}

}  // namespace headgate
