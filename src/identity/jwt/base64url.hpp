#pragma once
// base64url as JOSE writes it (RFC 7515 section 2): no padding, and one spelling only for each sequence of bytes.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

/// How many bytes `characters` of base64url stand for, at most.
constexpr std::size_t decoded_size(std::size_t characters) noexcept {
  return characters / 4 * 3 + characters % 4 * 3 / 4;
}

/// Decodes into `out`, which holds at least decoded_size(text.size()), and returns the bytes written. Nothing where
/// `text` has a character outside the alphabet (padding and white space too), a length no encoder makes, or unused bits
/// that are not zero.
std::optional<std::string_view> decode_base64url(std::string_view text, std::span<char> out) noexcept;

}  // namespace headgate::identity
