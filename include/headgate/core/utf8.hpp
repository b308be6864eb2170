#pragma once
// Characters of UTF-8 text (RFC 3629): no overlong forms, no surrogates, nothing beyond U+10FFFF. Used by the JSON code
// and most modules with text.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate {

/// Returns the number of bytes of the character at `at`, 1 to 4; 0 if there is no valid character.
std::size_t character_length(std::string_view text, std::size_t at) noexcept;

/// Returns the longest prefix of `text` of at most `most` bytes that does not end within a character.
std::string_view whole_characters(std::string_view text, std::size_t most) noexcept;

/// Appends the code point `value` (valid, no surrogate).
void append_utf8(std::uint32_t value, std::string& out);

}  // namespace headgate
