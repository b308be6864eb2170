#pragma once
// The members of one JSON object, read without trust: headers and claims alike.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// One member of the object, or of an object in it.
struct JsonMember {
  enum class Kind { text, integer, fraction, boolean, texts, other };

  std::string name;
  Kind kind = Kind::other;  ///< `texts`: an array of nothing but strings; `other`: null, an object, any other array
  /// The string; an integer in decimal; "true" or "false"; a fraction, or an array that is not of strings, as written.
  std::string text;
  double number = 0;  ///< of an integer or a fraction (a number with a point, an exponent, or beyond 64 bits)
  std::vector<std::string> texts;
};

/// The deepest nesting that is accepted, the object itself included. Real tokens need four.
constexpr int kMaxJsonDepth = 16;

/// The members of `json` in order. Nothing if it is not exactly one object of valid UTF-8, is nested deeper than
/// kMaxJsonDepth, or has a name twice (two readers would take two different values).
std::optional<std::vector<JsonMember>> read_json_object(std::string_view json);

/// The same, followed by the members of objects in it that have a name of at most kMaxPath bytes, each called by its
/// path: "realm_access.roles". A member of the object itself that is called so stands for it. Nothing if two paths are
/// the same.
std::optional<std::vector<JsonMember>> read_json_paths(std::string_view json);
inline constexpr std::size_t kMaxPath = 128;

/// The member of that name, or null.
const JsonMember* find_member(const std::vector<JsonMember>& members, std::string_view name) noexcept;

}  // namespace headgate::identity
