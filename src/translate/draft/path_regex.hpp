#pragma once
// Paths that another product compares with a regular expression.

#include <string>
#include <string_view>

namespace headgate::translate {

/// Where an expression must begin to match.
enum class Begins : bool { anywhere, at_start };

struct RegexPath {
  std::string path = "/*";  ///< what all of its paths have at their begin, as a route has it: "/users/*"
  std::string matches;      ///< value of "path_matches"; empty if there is none that takes the same requests
};

/// An expression that must match a part of the path, as "path_matches", which must match all of it and sees no slash at
/// its end.
RegexPath regex_path(std::string_view expression, Begins begins);

/// The text without what has a meaning in an expression, or nothing if something has: "api\\.example" is api.example.
bool plain_text(std::string_view expression, std::string& out);

}  // namespace headgate::translate
