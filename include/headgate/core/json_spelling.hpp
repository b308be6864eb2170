#pragma once
// The spelling of JSON (RFC 8259), which both readers of it share: JsonReader, and that of the configuration.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate {

/// Returns whether all of `text` is a number (section 6).
bool is_json_number(std::string_view text) noexcept;

enum class JsonEscape : std::uint8_t {
  taken,
  unknown,       ///< JSON has no such escape; only its backslash was taken
  no_character,  ///< "\u" without four digits, or half of a pair
};

/// Takes an escape off the front of `rest`, which begins with a backslash, and appends what it stands for as UTF-8.
/// "\u0000" is appended as a NUL.
JsonEscape take_json_escape(std::string_view& rest, std::string& out);

/// A name as one part of a JSON Pointer (RFC 6901 section 3).
std::string pointer_part(std::string_view name);

}  // namespace headgate
