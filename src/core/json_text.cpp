#include "headgate/core/json_text.hpp"

#include <array>

namespace headgate {
namespace {

/// Whether a byte stands for itself inside a JSON string.
constexpr auto kPlain = [] {
  std::array<bool, 256> out{};
  for (unsigned byte = 0x20; byte < 0x7f; ++byte) out[byte] = byte != '"' && byte != '\\';
  return out;
}();

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto* at = text.data();
  const auto* const end = at + text.size();
  while (at != end) {
    const auto* const run = at;
    while (at != end && kPlain[static_cast<unsigned char>(*at)]) ++at;
    out.append(run, at);
    if (at == end) return;
    const auto byte = static_cast<unsigned char>(*at++);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += static_cast<char>(byte);
    } else {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
}

}  // namespace headgate
