#include "base64url.hpp"

#include <array>
#include <cstdint>

namespace headgate::identity {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> values() {
  std::array<std::uint8_t, 256> out{};
  for (auto& value : out) value = kNone;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    out[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}
constexpr auto kValues = values();
constexpr std::uint32_t kMax = 63;  // the largest valid value; kNone is larger, also after an OR with other values

std::uint32_t value_of(char c) noexcept { return kValues[static_cast<unsigned char>(c)]; }

}  // namespace

std::optional<std::string_view> decode_base64url(std::string_view text, std::span<char> out) noexcept {
  if (text.size() % 4 == 1 || out.size() < decoded_size(text.size())) return std::nullopt;
  std::size_t size = 0;
  for (; text.size() >= 4; text.remove_prefix(4)) {
    const std::uint32_t first = value_of(text[0]), second = value_of(text[1]);
    const std::uint32_t third = value_of(text[2]), fourth = value_of(text[3]);
    if ((first | second | third | fourth) > kMax) return std::nullopt;
    out[size++] = static_cast<char>(first << 2 | second >> 4);
    out[size++] = static_cast<char>(second << 4 | third >> 2);
    out[size++] = static_cast<char>(third << 6 | fourth);
  }
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::uint32_t value = value_of(c);
    if (value > kMax) return std::nullopt;
    held = (held << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[size++] = static_cast<char>(held >> bits);
      held &= (1U << bits) - 1;
    }
  }
  // text whose unused bits are not zero is a second spelling of the same bytes, but a token must have only one spelling
  if (held != 0) return std::nullopt;
  return std::string_view(out.data(), size);
}

}  // namespace headgate::identity
