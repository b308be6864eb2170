#pragma once
// Paths that another product compares with a regular expression.

#include <string>
#include <string_view>

namespace headgate::translate {

/// Where a match of the expression must begin.
enum class Begins : bool { anywhere, at_start };

struct RegexPath {
  std::string path = "/*";  ///< pattern of a route that covers all matching paths, such as "/users/*"
  std::string matches;      ///< value of "path_matches"; empty if none matches the same requests
};

/// Converts an expression that matches part of a path into a value of "path_matches", which must match the whole path
/// without a slash at its end.
RegexPath regex_path(std::string_view expression, Begins begins);

/// Converts an expression without special characters into plain text, such as "api\\.example" into api.example. Returns
/// false if it has special characters.
bool plain_text(std::string_view expression, std::string& out);

}  // namespace headgate::translate
