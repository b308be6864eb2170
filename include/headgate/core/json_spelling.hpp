#pragma once
// The spelling rules of JSON (RFC 8259), shared by JsonReader and the reader of the configuration.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate {

/// Returns whether the whole `text` is a number (section 6).
bool is_json_number(std::string_view text) noexcept;

enum class JsonEscape : std::uint8_t {
  taken,
  unknown,       ///< JSON does not have this escape; only its backslash was taken
  no_character,  ///< "\u" without four digits, or half of a surrogate pair
};

/// Takes an escape off the front of `rest`, which begins with a backslash, and appends its character as UTF-8. "\u0000"
/// is appended as a NUL.
JsonEscape take_json_escape(std::string_view& rest, std::string& out);

/// Returns a name in the form of one part of a JSON Pointer (RFC 6901 section 3).
std::string pointer_part(std::string_view name);

}  // namespace headgate
