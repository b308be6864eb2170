#pragma once
// base64url as in JOSE (RFC 7515 section 2): no padding, and only one spelling for each sequence of bytes.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

/// Returns the maximum number of bytes in `characters` of base64url.
constexpr std::size_t decoded_size(std::size_t characters) noexcept {
  return characters / 4 * 3 + characters % 4 * 3 / 4;
}

/// Decodes into `out`, which has room for decoded_size(text.size()) bytes, and returns the decoded bytes. Empty if
/// `text` has a character outside the alphabet (such as padding and white space), an impossible length, or unused bits
/// that are not zero.
std::optional<std::string_view> decode_base64url(std::string_view text, std::span<char> out) noexcept;

}  // namespace headgate::identity
