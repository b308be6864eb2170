#include "headgate/core/json_text.hpp"

#include "json_plain.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/utf8.hpp"

#include <algorithm>

namespace headgate {
namespace {

/// Returns whether `text` needs no escape at all, as is the case for nearly all texts in log lines.
bool plain(std::string_view text) noexcept {
  constexpr std::size_t kEight = sizeof(std::uint64_t);
  if (text.size() < kEight) return std::all_of(text.begin(), text.end(), is_json_plain);
  const char* const last = text.data() + text.size() - kEight;
  for (const char* at = text.data(); at < last; at += kEight)
    if (!all_json_plain(load_eight(at))) return false;
  return all_json_plain(load_eight(last));  // examines some bytes a second time
}

/// Returns whether a character of several bytes could affect the text around it: it controls a terminal (U+0080 to
/// U+009F), ends a line (U+2028, U+2029), or changes the direction of the following text (U+061C, U+200E, U+200F,
/// U+202A to U+202E, U+2066 to U+2069).
constexpr bool reaches_beyond(std::uint32_t point) noexcept {
  return point < 0xA0 || point == 0x061C || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

/// Returns the code point of two or three valid bytes. No character of four bytes reaches beyond; for these, returns a
/// code point for which reaches_beyond() is false.
std::uint32_t point_of(std::string_view character) noexcept {
  const auto bits = [&](std::size_t i, unsigned mask) { return static_cast<unsigned char>(character[i]) & mask; };
  if (character.size() == 2) return bits(0, 0x1F) << 6U | bits(1, 0x3F);
  if (character.size() == 3) return bits(0, 0x0F) << 12U | bits(1, 0x3F) << 6U | bits(2, 0x3F);
  return 0x10000;
}

void write_point(TextCursor& out, std::uint32_t point) noexcept {
  out.word("\\u");
  for (unsigned shift = 16; shift > 0; shift -= 4) out.character(kHexDigits[point >> (shift - 4) & 15]);
}

}  // namespace

void write_json_text(TextCursor& out, std::string_view text) noexcept {
  if (plain(text)) return out.text(text);
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const auto length = is_json_plain(c) ? 1 : character_length(text, at);
    if (length > 1) {
      const auto character = text.substr(at, length);
      const auto point = point_of(character);
      if (reaches_beyond(point))
        write_point(out, point);
      else
        out.text(character);
      at += length;
      continue;
    }
    if (is_json_plain(c)) {
      out.character(c);
    } else if (c == '"' || c == '\\') {
      out.character('\\');
      out.character(c);
    } else {
      write_point(out, static_cast<unsigned char>(c));
    }
    ++at;
  }
}

void append_json_text(std::string& out, std::string_view text) {
  append_text(out, kMaxJsonBytes * text.size(), [text](TextCursor& cursor) { write_json_text(cursor, text); });
}

}  // namespace headgate
