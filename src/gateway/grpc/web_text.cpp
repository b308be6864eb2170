#include "web_text.hpp"

#include <array>
#include <cstdint>

namespace headgate::gateway {
namespace {

constexpr std::uint8_t kNone = 0xff;

constexpr auto kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNone);
  constexpr std::string_view kText = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kText.size(); ++i)
    digits[static_cast<unsigned char>(kText[i])] = static_cast<std::uint8_t>(i);
  return digits;
}();

}  // namespace

bool WebTextDecoder::decode(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '=') {
      if (have_ < 2) return false;
      ++padding_;
      bits_ <<= 6;
    } else {
      const auto digit = kDigits[static_cast<unsigned char>(c)];
      if (digit == kNone || padding_ > 0) return false;
      bits_ = bits_ << 6 | digit;
    }
    if (++have_ < 4) continue;
    out += static_cast<char>(bits_ >> 16 & 0xff);
    if (padding_ < 2) out += static_cast<char>(bits_ >> 8 & 0xff);
    if (padding_ < 1) out += static_cast<char>(bits_ & 0xff);
    bits_ = have_ = padding_ = 0;
  }
  return true;
}

}  // namespace headgate::gateway
