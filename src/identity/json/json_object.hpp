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
  Kind kind = Kind::other;  ///< `texts` is an array of only strings; `other` is null, an object or any other array
  /// The string; an integer in decimal; "true" or "false"; a fraction, or any array other than of strings, as written.
  std::string text;
  double number = 0;  ///< value of an integer or a fraction (a number with a point, an exponent, or beyond 64 bits)
  std::vector<std::string> texts;
};

/// Maximum nesting, including the object itself. Real tokens need four.
constexpr int kMaxJsonDepth = 16;

/// Returns the members of `json` in order. Empty if it is not exactly one object of valid UTF-8, is nested deeper than
/// kMaxJsonDepth, or has a name twice (two readers would take different values).
std::optional<std::vector<JsonMember>> read_json_object(std::string_view json);

/// Does the same and appends the members of nested objects that have a path of at most kMaxPath bytes, each named by
/// its path: "realm_access.roles". A member of the object itself with that name replaces it. Empty if two paths are the
/// same.
std::optional<std::vector<JsonMember>> read_json_paths(std::string_view json);
inline constexpr std::size_t kMaxPath = 128;

/// Returns the member with this name, or null.
const JsonMember* find_member(const std::vector<JsonMember>& members, std::string_view name) noexcept;

}  // namespace headgate::identity
