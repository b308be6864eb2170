// Translates predicates into conditions of a route.

#include "known.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/spring/filters.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/path_regex.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

constexpr std::string_view kOfExpressions = "\\[](){}*+?^$|.";

/// Returns whether a route's path may have this segment: a literal, or {name}.
bool is_plain(std::string_view segment) {
  if (segment.starts_with('{') && segment.ends_with('}')) {
    const auto name = segment.substr(1, segment.size() - 2);
    return !name.empty() && name.find_first_of(":*{}") == std::string_view::npos;
  }
  return segment.find_first_of("*?{}") == std::string_view::npos;
}

/// Converts a segment of a pattern to an expression of RE2.
std::string regex_of(std::string_view segment) {
  std::string out;
  while (!segment.empty()) {
    const char c = segment.front();
    if (c == '{') {
      const auto end = segment.rfind('}');
      const auto inside = segment.substr(1, end == std::string_view::npos ? end : end - 1);
      const auto colon = inside.find(':');
      out += colon == std::string_view::npos ? "[^/]+" : "(?:" + std::string(inside.substr(colon + 1)) + ')';
      segment.remove_prefix(end == std::string_view::npos ? segment.size() : end + 1);
      continue;
    }
    if (c == '*')
      out += "[^/]*";
    else if (c == '?')
      out += "[^/]";
    else
      out.append(kOfExpressions.find(c) != std::string_view::npos ? "\\" : "").append(1, c);
    segment.remove_prefix(1);
  }
  return out;
}

std::vector<std::string_view> segments_of(std::string_view pattern) {
  std::vector<std::string_view> out;
  while (pattern.starts_with('/')) {
    pattern.remove_prefix(1);
    out.push_back(pattern.substr(0, pattern.find('/')));
    pattern.remove_prefix(out.back().size());
  }
  return out;
}

/// Converts a pattern to a path. "/api/**" becomes "/api/*", "/x/*" becomes "/x/{any}", and "/users/{id}" stays; other
/// patterns become expressions. If the pattern is not supported, returns nothing, and sets `path` to one that covers
/// all paths with the same beginning.
std::optional<SpringChoice::Path> path_of(const std::string& pattern, std::string& path) {
  SpringChoice::Path out;
  std::string matches;
  bool plain = true;
  bool literal = true;
  const auto segments = segments_of(pattern);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto segment = segments[i];
    const bool rest = segment == "**" || segment.starts_with("{*");
    if (rest && i + 1 == segments.size()) {
      out.path += "/*";
      matches += "(?:/.*)?";
    } else if (rest) {
      plain = false;
      literal = false;
      matches += "(?:/.*)?";
    } else {
      if (segment == "*")
        out.path += "/{any" + std::to_string(i) + '}';
      else
        out.path.append(1, '/').append(segment);
      plain = plain && (segment == "*" || is_plain(segment));
      literal = literal && segment.find_first_of("*?{") == std::string_view::npos;
      if (literal) path.append(1, '/').append(segment);
      matches += '/' + regex_of(segment);
    }
  }
  path += path == out.path ? "" : "/*";
  if (plain && pattern.starts_with('/')) return out;
  const auto made = gateway::PathRegex::make(matches, gateway::PathRegex::Case::matters);
  if (!pattern.starts_with('/') || made.has_error()) return std::nullopt;
  out.path = path;
  out.matches = matches;
  return out;
}

/// A predicate, and the route that it is translated for.
struct Taking {
  const SpringStep& step;
  SpringChoice& out;
  DraftEntry& route;

  void close(const std::string& why) const { close_route(route, step.name, step.spot, step.text, why); }
};

void take_paths(const Taking& taking) {
  for (const auto& pattern : taking.step.values) {
    if (is_true(pattern) || lower(pattern) == "false") continue;  // this value is matchTrailingSlash
    std::string begin;
    const auto path = path_of(pattern, begin);
    taking.out.paths.push_back(path.value_or(SpringChoice::Path{begin}));
    if (!path) taking.close("write \"path_matches\", a regular expression of RE2 for the whole path");
  }
}

void take_hosts(const Taking& taking) {
  for (const auto& pattern : taking.step.values) {
    auto host = lower(pattern.substr(
        0, pattern.rfind(':') == std::string::npos || pattern.ends_with('}') ? pattern.size() : pattern.rfind(':')));
    if (host.starts_with("**.")) host.erase(0, 1);
    if (host.starts_with('{') && host.find("}.") != std::string::npos && host.find(':') == std::string::npos)
      host = '*' + host.substr(host.find("}.") + 1);
    if (host.find_first_of("{}?") != std::string::npos || host.find('*', 1) != std::string::npos) {
      taking.close("headgate only supports a name, or \"*.\" and a name, as host");
      host.clear();
    } else if (host.starts_with("*.") && !pattern.starts_with("**")) {
      say(taking.route, Matter::differs, taking.step.spot, pattern,
          "Spring matches one label here, and headgate any number of labels");
    }
    taking.out.hosts.push_back(host);
  }
}

/// Returns the values of `^v1$` or `a|b`. Returns an empty list for any other expression.
std::vector<std::string> values_in(std::string expression) {
  if (expression.starts_with('^')) expression.erase(0, 1);
  if (expression.ends_with('$')) expression.pop_back();
  std::vector<std::string> out;
  for (std::string_view rest = expression;;) {
    const auto bar = rest.find('|');
    const auto part = rest.substr(0, bar);
    if (part.empty() || part.find_first_of(kOfExpressions) != std::string_view::npos) return {};
    out.emplace_back(part);
    if (bar == std::string_view::npos) return out;
    rest.remove_prefix(bar + 1);
  }
}

void take_field(const Taking& taking, std::vector<std::pair<std::string, std::string>>& fields) {
  const auto& values = taking.step.values;
  if (values.empty()) return taking.close("it names no field");
  const auto expression = values.size() > 1 ? values[1] : std::string();
  const bool any = expression.empty() || expression == ".+" || expression == ".*";
  const auto known = any ? std::vector<std::string>() : values_in(expression);
  fields.emplace_back(values.front(), known.empty() ? "true" : text_or_list(known));
  if (!any && (known.empty() || values.size() > 2))
    taking.close("headgate compares whole values, without regular expressions");
}

}  // namespace

void take_predicate(const SpringStep& step, SpringChoice& out, DraftEntry& route) {
  const Taking taking{step, out, route};
  const auto* const known = find_word(spring_predicates(), step.name);
  const char* const other = "headgate chooses routes by host, path, method, fields, parameters and addresses";
  if (known == nullptr) return taking.close(other);
  if (!known->why.empty()) return taking.close(std::string(known->why));
  if (step.name == "Path") return take_paths(taking);
  if (step.name == "Host") return take_hosts(taking);
  if (step.name == "Header") return take_field(taking, out.headers);
  if (step.name == "Query") return take_field(taking, out.query);
  if (step.name == "Method") {
    out.methods = step.values;
  } else if (step.name == "RemoteAddr") {
    for (const auto& each : step.values) out.client_ip.push_back(each);
    if (out.client_ip.empty()) taking.close("it names no addresses");
  } else if (step.name == "Weight" && step.values.size() == 2) {
    out.group = step.values[0];
    const auto weight = number_in(step.values[1]);
    out.weight = weight == kNoNumber ? 1 : weight;
  } else {
    taking.close(other);
  }
}

}  // namespace headgate::translate
