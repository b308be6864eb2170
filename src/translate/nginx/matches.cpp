#include "matches.hpp"

#include "translate/draft/escape.hpp"
#include "translate/draft/path_regex.hpp"

#include "headgate/gateway/path_regex.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

/// Converts expressions such as "^/login$" and "^/api/", which contain only a path.
NginxMatch simple_expression(std::string_view text, bool ignore_case) {
  NginxMatch out{.path = {}, .path_matches = {}, .ignore_case = ignore_case, .prefix = true, .why = {}};
  if (!text.starts_with("^/")) return out;
  text.remove_prefix(1);
  for (const auto* tail : {"/.*$", "/.*", "/(.*)$", "/(.*)"}) {
    if (!text.ends_with(tail)) continue;
    text.remove_suffix(std::string_view(tail).size() - 1);
    break;
  }
  const bool exact = text.ends_with('$');
  if (exact) text.remove_suffix(1);
  std::string path;
  if (!plain_text(text, path) || path.find_first_of("%; ") != std::string::npos) return out;
  if (!exact && !path.ends_with('/')) return out;  // not a simple path: "^/api" matches "/apix", too
  out.prefix = !exact;
  out.path = exact ? path : path + "*";
  return out;
}

}  // namespace

std::string literal_path(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '*')
      out += "%2A";
    else if (c == '{')
      out += "%7B";
    else if (c == '}')
      out += "%7D";
    else if (c == ' ')
      out += "%20";
    else
      out += c;
  }
  return out;
}

bool is_regex(const Directive& location) { return location.words.size() > 1 && location.word(0).starts_with('~'); }

bool ignores_case(const Directive& location) { return is_regex(location) && location.word(0) == "~*"; }

bool before_regexes(const Directive& location) { return location.words.size() > 1 && location.word(0) == "^~"; }

std::string_view uri_of(const Directive& location) {
  return location.words.size() > 1 ? location.word(1) : location.word(0);
}

NginxMatch match_of(const Directive& location) {
  const auto text = uri_of(location);
  NginxMatch out;
  if (is_regex(location)) {
    out = simple_expression(text, ignores_case(location));
  } else if (text.starts_with('@')) {
    out.why = "only error_page and try_files lead to such a location";
  } else if (!text.starts_with('/')) {
    out.why = "no path begins like this";
  } else if (location.words.size() > 1 && location.word(0) == "=") {
    out.path = literal_path(text);
  } else {
    out.path = literal_path(text);
    out.path += text.ends_with('/') ? "*" : "/*";
    out.prefix = true;
  }
  return out;
}

NginxMatch regex_match_of(const Directive& location) {
  const auto read = regex_path(uri_of(location), Begins::anywhere);
  NginxMatch out{.path = "/*", .path_matches = read.matches, .ignore_case = false, .prefix = true, .why = {}};
  if (read.matches.empty())
    out.why = "\"path_matches\" cannot express this: write \"path\" of a route, or an expression of RE2";
  if (ignores_case(location))
    out.path_matches = out.path_matches.empty() ? "" : "(?i)" + out.path_matches;
  else
    out.path = read.path;
  return out;
}

bool patterns_meet(std::string_view a, std::string_view b) {
  const auto begin = [](std::string_view pattern) {
    return pattern.ends_with('*') ? pattern.substr(0, pattern.size() - 1) : pattern;
  };
  if (!a.ends_with('*') && !b.ends_with('*')) return a == b;
  auto shorter = begin(a);
  auto longer = begin(b);
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  return longer.starts_with(shorter);
}

bool may_take(const NginxMatch& expression, const NginxMatch& path) {
  if (!patterns_meet(expression.path, path.path)) return false;
  if (path.prefix || path.ignore_case || expression.path_matches.empty()) return true;
  const auto made = gateway::PathRegex::make(expression.path_matches, gateway::PathRegex::Case::matters);
  return made.has_error() || (*made)->matches(path.path);
}

NginxMatch rest_of_segment(std::string_view prefix) {
  const auto parent = prefix.substr(0, prefix.rfind('/') + 1);
  return {.path = literal_path(parent) + '*',
          .path_matches = escaped_text(prefix) + "[^/].*",
          .ignore_case = false,
          .prefix = true,
          .why = {}};
}

}  // namespace headgate::translate
