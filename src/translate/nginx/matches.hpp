#pragma once
// Converts the pattern of a location into the conditions of a route.

#include "translate/reading/nginx_syntax.hpp"

#include <string>
#include <string_view>

namespace headgate::translate {

struct NginxMatch {
  std::string path;          ///< path of the route; empty if it cannot be translated
  std::string path_matches;  ///< regular expression that the path must match as well; empty if there is none
  bool ignore_case = false;  ///< applies to `path`
  bool prefix = false;       ///< whether the path ends in "/*"
  std::string why;           ///< reason why it cannot be translated
};

/// Returns a path in which '*' and braces are literal.
std::string literal_path(std::string_view text);

bool is_regex(const Directive& location);
/// Returns whether the location is "~*", a regular expression that ignores case.
bool ignores_case(const Directive& location);
/// Returns whether the location is "^~", so that nginx tries no regular expressions after it.
bool before_regexes(const Directive& location);
/// Returns the path or the expression of a location.
std::string_view uri_of(const Directive& location);

/// Converts a path, or an expression that contains only a path.
NginxMatch match_of(const Directive& location);
/// Converts an expression. `path` becomes the common beginning of its paths, such as "/api/*".
NginxMatch regex_match_of(const Directive& location);

/// Returns whether one path may match both patterns, which are literal except for "/*" at the end.
bool patterns_meet(std::string_view a, std::string_view b);

/// Returns whether an expression may match a request for the path of the other location.
bool may_take(const NginxMatch& expression, const NginxMatch& path);

/// Returns a match of the paths that continue the last segment of `prefix`, such as "/apix" for "/api". nginx includes
/// them if the prefix does not end in a slash.
NginxMatch rest_of_segment(std::string_view prefix);

}  // namespace headgate::translate
