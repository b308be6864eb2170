#include "printable.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace headgate::cli {
namespace {

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// Control and format characters and line separators (Unicode 15, Cc, Cf, Zl, Zp), and blank characters that are not
/// spaces.
constexpr std::array kUnseen{
    CodeRange{0x0000, 0x001F},   CodeRange{0x007F, 0x009F},   CodeRange{0x00AD, 0x00AD},   CodeRange{0x034F, 0x034F},
    CodeRange{0x0600, 0x0605},   CodeRange{0x061C, 0x061C},   CodeRange{0x06DD, 0x06DD},   CodeRange{0x070F, 0x070F},
    CodeRange{0x0890, 0x0891},   CodeRange{0x08E2, 0x08E2},   CodeRange{0x115F, 0x1160},   CodeRange{0x17B4, 0x17B5},
    CodeRange{0x180B, 0x180F},   CodeRange{0x200B, 0x200F},   CodeRange{0x2028, 0x202E},   CodeRange{0x2060, 0x206F},
    CodeRange{0x3164, 0x3164},   CodeRange{0xFE00, 0xFE0F},   CodeRange{0xFEFF, 0xFEFF},   CodeRange{0xFFA0, 0xFFA0},
    CodeRange{0xFFF0, 0xFFFB},   CodeRange{0x110BD, 0x110BD}, CodeRange{0x110CD, 0x110CD}, CodeRange{0x13430, 0x1343F},
    CodeRange{0x1BCA0, 0x1BCA3}, CodeRange{0x1D173, 0x1D17A}, CodeRange{0xE0000, 0xE0FFF},
};

bool is_unseen(std::uint32_t code) noexcept {
  return std::any_of(kUnseen.begin(), kUnseen.end(),
                     [code](const auto& range) { return range.first <= code && code <= range.last; });
}

/// Returns the code point of one valid character.
std::uint32_t code_of(std::string_view character) noexcept {
  constexpr std::array<unsigned, 5> kFirst{0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code = static_cast<unsigned char>(character.front()) & kFirst[character.size()];
  for (const char c : character.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

void append_byte(char c, std::string& out) {
  out += "\\x";
  append_hex(out, static_cast<unsigned char>(c));
}

void append_unit(std::uint32_t unit, std::string& out) {
  out += "\\u";
  for (unsigned shift = 16; shift > 0; shift -= 4) out += kHexDigits[(unit >> (shift - 4)) & 15U];
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    const auto bytes = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0 || is_unseen(code_of(bytes)))
      for (const char c : bytes) append_byte(c, out);
    else
      out += bytes;
    at += bytes.size();
  }
  return out;
}

std::string printable_json(std::string_view json) {
  constexpr std::uint32_t kBeyondOneUnit = 0x10000;
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const auto length = character_length(json, at);
    const auto bytes = json.substr(at, std::max<std::size_t>(length, 1));
    const auto code = length == 0 ? kReplacement : code_of(bytes);
    if (length > 0 && (code == '\n' || code == '\r' || code == '\t' || !is_unseen(code))) {
      out += bytes;
    } else if (code < kBeyondOneUnit) {
      append_unit(code, out);
    } else {
      append_unit(0xD800 + ((code - kBeyondOneUnit) >> 10U), out);
      append_unit(0xDC00 + ((code - kBeyondOneUnit) & 0x3FFU), out);
    }
    at += bytes.size();
  }
  return out;
}

std::string how_many_of(std::uint64_t count, std::string_view one) {
  return std::to_string(count).append(" ").append(one).append(count == 1 ? "" : "s");
}

}  // namespace headgate::cli
