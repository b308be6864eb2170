#pragma once
// Which requests a location of nginx is for, as a route says it.

#include "translate/reading/nginx_syntax.hpp"

#include <string>
#include <string_view>

namespace headgate::translate {

struct NginxMatch {
  std::string path;          ///< of the route; empty: it cannot be translated
  std::string path_matches;  ///< a regular expression that the path must match, too; empty: none
  bool ignore_case = false;  ///< of `path`
  bool prefix = false;       ///< the path ends in "/*"
  std::string why;           ///< why it cannot be translated
};

/// A path in which '*' and braces stand for themselves.
std::string literal_path(std::string_view text);

bool is_regex(const Directive& location);
/// "~*": a regular expression that ignores case.
bool ignores_case(const Directive& location);
/// "^~": regular expressions beside it are not looked at.
bool before_regexes(const Directive& location);
/// The path or the expression of a location.
std::string_view uri_of(const Directive& location);

/// A location by its path, or by an expression that has no more than a path in it.
NginxMatch match_of(const Directive& location);
/// A location by its expression. `path` is what all of its paths begin with, as in "/api/*".
NginxMatch regex_match_of(const Directive& location);

/// Whether one request may have paths of both: patterns that are literal but for "/*" at their end.
bool patterns_meet(std::string_view a, std::string_view b);

/// Whether an expression may take a request for the path of the other one.
bool may_take(const NginxMatch& expression, const NginxMatch& path);

/// Paths that begin as `prefix` does and go on in its last segment, such as "/apix" of "/api"; for a prefix that does
/// not end in a slash, which takes them in nginx.
NginxMatch rest_of_segment(std::string_view prefix);

}  // namespace headgate::translate
