#pragma once
// The members of one JSON object from an untrusted source, for headers and claims.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// A member of the object or of a nested object.
struct JsonMember {
  enum class Kind { text, integer, fraction, boolean, texts, other };

  std::string name;
  /// `texts` is an array that has only strings; `other` is null, an object or any other array
  Kind kind = Kind::other;
  /// The text of a string, an integer in decimal, or "true" or "false". A fraction, or an array that has other elements
  /// than strings, is stored as written.
  std::string text;
  double number = 0;  ///< value of an integer or a fraction (a number with a point, an exponent, or beyond 64 bits)
  std::vector<std::string> texts;
};

/// Maximum nesting, including the object itself. Real tokens need four.
constexpr int kMaxJsonDepth = 16;

/// Returns the members of `json` in order. Empty if `json` is not exactly one object of valid UTF-8, is nested deeper
/// than kMaxJsonDepth, or has a name twice, because two readers could use different values.
std::optional<std::vector<JsonMember>> read_json_object(std::string_view json);

/// Does the same, and appends the members of nested objects, each named by its path, such as "realm_access.roles". A
/// path of more than kMaxPath bytes is left out. If the object itself has a member with the same name as a path, that
/// member is used. The result is empty if two paths are the same.
std::optional<std::vector<JsonMember>> read_json_paths(std::string_view json);
inline constexpr std::size_t kMaxPath = 128;

/// Returns the member with this name, or null.
const JsonMember* find_member(const std::vector<JsonMember>& members, std::string_view name) noexcept;

}  // namespace headgate::identity
