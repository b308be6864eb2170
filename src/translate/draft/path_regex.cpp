#include "path_regex.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/path_regex.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::translate {
namespace {

constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}";

bool of_a_path(char c) { return is_alnum(c, "/-_.~"); }

/// Returns the whole segments with which every match of the expression begins.
std::string literal_begin(std::string_view expression) {
  std::string out;
  while (!expression.empty()) {
    char c = expression.front();
    const bool escaped = c == '\\' && expression.size() > 1 && kSpecial.find(expression[1]) != std::string_view::npos;
    if (escaped) c = expression[1];
    if ((!escaped && kSpecial.find(c) != std::string_view::npos) || !of_a_path(c)) break;
    expression.remove_prefix(escaped ? 2 : 1);
    // A character that may be absent, as in "x?" or "x*", does not belong to the beginning.
    if (!expression.empty() && std::string_view("?*{").find(expression.front()) != std::string_view::npos) break;
    out += c;
  }
  return out.substr(0, out.rfind('/') + 1);
}

/// Returns whether the expression has alternatives outside of all groups.
bool has_alternatives(std::string_view expression) {
  int depth = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\') {
      ++i;
    } else if (expression[i] == '(') {
      ++depth;
    } else if (expression[i] == ')') {
      --depth;
    } else if (expression[i] == '|' && depth == 0) {
      return true;
    }
  }
  return false;
}

/// Converts "(?<name>" of PCRE and Java to RE2's "(?P<name>", and "\/" to "/".
std::string as_re2(std::string_view expression) {
  std::string out;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\' && i + 1 < expression.size()) {
      if (expression[i + 1] != '/') out += '\\';
      out += expression[++i];
      continue;
    }
    out += expression[i];
    const auto rest = expression.substr(i);
    if (rest.starts_with("?<") && rest.size() > 2 && rest[2] != '=' && rest[2] != '!' && i > 0 &&
        expression[i - 1] == '(')
      out += 'P';
  }
  return out;
}

/// Converts "(?:a|b)" and "(?P<id>a)" to "(a|b)" and "(a)".
std::string without_heads_of_groups(std::string_view expression) {
  std::string out;
  while (!expression.empty()) {
    out += expression.front();
    expression.remove_prefix(1);
    if (out.back() != '(') continue;
    if (expression.starts_with("?:")) expression.remove_prefix(2);
    if (expression.starts_with("?P<"))
      expression.remove_prefix(std::min(expression.find('>'), expression.size() - 1) + 1);
  }
  return out;
}

/// Returns whether the expression matches some path only with a slash at its end. headgate compares paths without that
/// slash.
bool needs_slash_at_end(std::string_view written) {
  const auto plain = without_heads_of_groups(written);
  const std::string_view expression = plain;
  for (const std::string_view nothing : {"(|", "||", "|)"})
    if (expression.find(nothing) != std::string_view::npos) return true;
  const auto slash = expression.rfind('/');
  for (std::size_t i = 0; i + 1 < expression.size(); ++i)
    if (expression[i] == '/' && std::string_view("|)").find(expression[i + 1]) != std::string_view::npos) return true;
  if (slash == std::string_view::npos) return false;
  const auto tail = expression.substr(slash + 1);
  return tail.find_first_not_of(")$") == std::string_view::npos || tail.find_first_of("*?") != std::string_view::npos ||
         tail.find("{0") != std::string_view::npos;
}

/// Rewrites the end of the expression so that a path matches with or without a slash at its end. Returns false if that
/// is not possible.
bool settle_end(std::string& expression, bool whole) {
  constexpr std::array<std::string_view, 3> kRest{"/.*", "/(.*)", "/(?:.*)"};
  const auto cut = [&](std::string_view tail, const char* by) {
    if (!expression.ends_with(tail)) return false;
    expression.resize(expression.size() - tail.size());
    expression += by;
    return true;
  };
  bool done = false;
  for (const auto tail : kRest) done = done || cut(tail, "(?:/.*)?");
  if (done) return !needs_slash_at_end(std::string_view(expression).substr(0, expression.size() - 8));
  if (cut("/?", "") || cut("/", whole ? "" : "(?:/.*)?")) {
    const auto before = std::string_view(expression);
    return !needs_slash_at_end(before.ends_with("(?:/.*)?") ? before.substr(0, before.size() - 8) : before);
  }
  if (expression.ends_with("(?:/.*)?") || expression.ends_with("(/.*)?")) return true;
  if (needs_slash_at_end(expression)) return false;
  if (!whole) expression += ".*";
  return true;
}

}  // namespace

RegexPath regex_path(std::string_view written, Begins begins) {
  RegexPath out;
  auto matches = as_re2(written);
  std::string_view expression = matches;
  const bool alternatives = has_alternatives(expression);
  const bool at_start = begins == Begins::at_start || (!alternatives && expression.starts_with('^'));
  if (!alternatives && expression.starts_with('^')) expression.remove_prefix(1);
  if (at_start && !alternatives) out.path = literal_begin(expression) + '*';
  if (!out.path.starts_with('/')) out.path = "/*";
  if (alternatives) {
    if (expression.find_first_of("/^$") != std::string_view::npos && begins == Begins::anywhere) return out;
    if (expression.find_first_of("^$") != std::string_view::npos || needs_slash_at_end(expression)) return out;
  }
  const bool whole = !alternatives && expression.ends_with('$') && !expression.ends_with("\\$");
  if (whole) expression.remove_suffix(1);
  matches = alternatives ? "(?:" + std::string(expression) + ").*" : std::string(expression);
  if (!alternatives && !settle_end(matches, whole)) return out;
  if (!at_start) matches.insert(0, ".*");
  const auto made = gateway::PathRegex::make(matches, gateway::PathRegex::Case::matters);
  if (made.has_value()) out.matches = std::move(matches);
  return out;
}

bool plain_text(std::string_view expression, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\' && i + 1 < expression.size() &&
        kSpecial.find(expression[i + 1]) != std::string_view::npos)
      out += expression[++i];
    else if (kSpecial.find(expression[i]) != std::string_view::npos)
      return false;
    else
      out += expression[i];
  }
  return true;
}

}  // namespace headgate::translate
