#pragma once
// The members of one JSON object, read without trust: headers and claims alike.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// One member of the object. Deeper values are checked for form and not kept, except for strings directly in an array.
struct JsonMember {
  enum class Kind { text, integer, fraction, boolean, texts, other };

  std::string name;
  Kind kind = Kind::other;  ///< `texts`: an array of nothing but strings; `other`: null, an object, any other array
  std::string text;         ///< the string; an integer in decimal; "true" or "false"
  double number = 0;        ///< of an integer or a fraction (a number with a point, an exponent, or beyond 64 bits)
  std::vector<std::string> texts;
};

/// The deepest nesting that is accepted, the object itself included. Real tokens need four.
constexpr int kMaxJsonDepth = 16;

/// The members of `json` in order. Nothing if it is not exactly one object of valid UTF-8, is nested deeper than
/// kMaxJsonDepth, or has a name twice (two readers would take two different values).
std::optional<std::vector<JsonMember>> read_json_object(std::string_view json);

/// The member of that name, or null.
const JsonMember* find_member(const std::vector<JsonMember>& members, std::string_view name) noexcept;

}  // namespace headgate::identity
