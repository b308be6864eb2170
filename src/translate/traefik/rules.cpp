// Parses the rule of a router: matchers with && and ||, as a list of alternatives.

#include "known.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/path_regex.hpp"
#include "translate/traefik/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

constexpr std::size_t kMaxMatches = 500;
constexpr std::size_t kDeepestRule = 50;

using Alternatives = std::vector<TraefikMatch>;

/// Returns a match for a matcher that cannot be translated. It covers all requests, and is closed.
TraefikMatch unknown(const std::string& matcher, const std::string& why) {
  TraefikMatch out;
  out.closed = matcher;
  out.why = why;
  return out;
}

void close(TraefikMatch& match, const std::string& matcher, const std::string& why) {
  if (!match.closed.empty()) return;
  match.closed = matcher;
  match.why = why;
}

/// Returns whether `other` covers all paths of `path`.
bool is_within(const std::string& path, const std::string& other) {
  return other == "/*" || path == other ||
         (other.ends_with("/*") && (path + '/').starts_with(other.substr(0, other.size() - 1)));
}

void join_paths(TraefikMatch& a, const TraefikMatch& b) {
  if (is_within(b.path, a.path)) {
    a.path = b.path;
    a.text_prefix = b.text_prefix;
  } else if (!is_within(a.path, b.path)) {
    close(a, "two paths", "two paths must both hold");
  }
  if (b.path_matches.empty()) return;
  if (!a.path_matches.empty() && a.path_matches != b.path_matches)
    close(a, "PathRegexp", "two expressions must both hold");
  a.path_matches = b.path_matches;
}

template <class List>
void join_lists(TraefikMatch& into, List& a, const List& b, const char* matcher) {
  if (b.empty()) return;
  if (!a.empty() && a != b) close(into, matcher, "two of these must both hold");
  if (a.empty()) a = b;
}

/// Returns the match of two matchers that must both hold.
TraefikMatch joined_match(TraefikMatch a, const TraefikMatch& b) {
  if (!b.host.empty()) {
    if (!a.host.empty() && a.host != b.host) close(a, "two hosts", "two hosts must both hold");
    if (a.host.empty() || a.host.starts_with("*.")) a.host = b.host;
  }
  join_paths(a, b);
  join_lists(a, a.methods, b.methods, "Method");
  join_lists(a, a.client_ip, b.client_ip, "ClientIP");
  const auto add = [&](auto& fields, const auto& more) {
    for (const auto& each : more) {
      const bool there =
          std::ranges::any_of(fields, [&](const auto& other) { return same_word(other.first, each.first); });
      if (there)
        close(a, "two fields", "two values of one field must both hold");
      else
        fields.push_back(each);
    }
  };
  add(a.headers, b.headers);
  add(a.query, b.query);
  if (!b.closed.empty()) close(a, b.closed, b.why);
  a.hole = a.hole || b.hole;
  return a;
}

constexpr const char* kWholeValues = "headgate compares whole values, without regular expressions";

TraefikMatch field_match(const std::string& kind, const std::string& name, const std::vector<std::string>& values) {
  TraefikMatch out;
  auto field = values[0];
  auto value = values.size() > 1 ? values[1] : std::string();
  const bool query = kind.starts_with("query");
  if (const auto equals = field.find('='); query && equals != std::string::npos) {
    value = field.substr(equals + 1);
    field.erase(equals);
  }
  const bool regex = kind.ends_with("regexp") || value.find('{') != std::string::npos;
  (query ? out.query : out.headers).emplace_back(field, value.empty() || regex ? "true" : json_text(value));
  if (regex) close(out, name, kWholeValues);
  return out;
}

/// Converts `^.+\.example\.com$` to *.example.com.
TraefikMatch host_by_regex(std::string expression, const std::string& name) {
  constexpr std::size_t kLongest = 1000;  // limited because the time grows with the square of the length
  if (expression.size() > kLongest) return unknown(name, "it is too long");
  TraefikMatch out;
  const bool whole = expression.starts_with('^') && expression.ends_with('$');
  if (expression.starts_with('^')) expression.erase(0, 1);
  if (expression.ends_with('$')) expression.pop_back();
  std::string plain;
  if (whole && plain_text(expression, plain)) {
    out.host = lower(plain);
    return out;
  }
  const bool any_below = whole && (expression.starts_with(".+\\.") || expression.starts_with(".*\\."));
  // Finds the suffix that all matching hosts share: the text after a dot, if it has no special characters.
  for (auto at = expression.find('.'); at != std::string::npos && whole && out.host.empty();
       at = expression.find('.', at + 1))
    if (at > 0 && (expression[at - 1] == '\\' || expression[at - 1] == '}') &&
        plain_text(std::string_view(expression).substr(at + 1), plain) && !plain.empty())
      out.host = "*." + lower(plain);
  const bool exact = any_below && out.host.size() > 2 && plain_text(std::string_view(expression).substr(4), plain);
  if (!exact) close(out, name, "headgate knows hosts by name, and \"*.example.com\" for those below");
  return out;
}

TraefikMatch path_match(const std::string& kind, const std::string& name, const std::string& value) {
  TraefikMatch out;
  if (kind == "pathregexp") {
    const auto regex = regex_path(value, Begins::anywhere);
    out.path = regex.path;
    out.path_matches = regex.matches;
    if (regex.matches.empty())
      close(out, name, "write \"path_matches\", a regular expression for the whole path without a slash at its end");
    return out;
  }
  const auto begin = value.substr(0, value.find_first_of("{*"));
  if (!value.starts_with('/') || begin.size() != value.size()) {
    out.path = begin.starts_with('/') ? begin.substr(0, begin.rfind('/') + 1) + '*' : "/*";
    close(out, name, "it has more than a path: write \"path_matches\"");
    return out;
  }
  out.path = kind == "path" ? value : value.ends_with('/') ? value + "*" : value + "/*";
  if (kind == "pathprefix" && !value.ends_with('/')) out.text_prefix = value;
  return out;
}

TraefikMatch one_match(const std::string& kind, const std::string& name, const std::string& value) {
  if (kind == "pathprefix" || kind == "path" || kind == "pathregexp") return path_match(kind, name, value);
  if (kind == "hostregexp") return host_by_regex(value, name);
  TraefikMatch out;
  out.host = lower(value);
  return out;
}

/// Parses a rule from left to right.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  Alternatives all() {
    auto out = either(0);
    skip();
    if (at_ < text_.size()) fail("the rule cannot be read");
    if (!why_.empty()) return {unknown("its rule", why_)};
    return out;
  }

 private:
  Alternatives fail(const std::string& why) {
    if (why_.empty()) why_ = why;
    at_ = text_.size();
    return {};
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Alternatives either(std::size_t depth) {
    if (depth > kDeepestRule) return fail("the rule is nested too deep");
    auto out = both(depth);
    while (take("||")) {
      const auto more = both(depth);
      out.insert(out.end(), more.begin(), more.end());
      if (out.size() > kMaxMatches) return fail("the rule has too many alternatives");
    }
    return out;
  }

  Alternatives both(std::size_t depth) {
    auto out = one(depth);
    while (take("&&")) {
      const auto more = one(depth);
      Alternatives product;
      if (out.size() * more.size() > kMaxMatches) return fail("the rule has too many alternatives");
      for (const auto& a : out)
        for (const auto& b : more) product.push_back(joined_match(a, b));
      out = std::move(product);
    }
    return out;
  }

  /// Returns alternatives that cover all requests except those for the given paths. The paths get routes of their own.
  static Alternatives without(const Alternatives& left_out) {
    Alternatives out{TraefikMatch{}};
    for (auto each : left_out) {
      const bool only_path = each.closed.empty() && each.host.empty() && each.path != "/*" &&
                             each.path_matches.empty() && each.methods.empty() && each.client_ip.empty() &&
                             each.headers.empty() && each.query.empty();
      if (!only_path || each.hole) return {unknown("a \"not\"", "headgate has no 'not' in routes, except for paths")};
      each.hole = true;
      close(each, "a \"not\"", "the paths that the rule excludes have no route of their own");
      out.push_back(std::move(each));
    }
    return out;
  }

  Alternatives one(std::size_t depth) {
    if (depth > kDeepestRule) return fail("the rule is nested too deep");
    if (take("!")) return without(one(depth + 1));
    if (take("(")) {
      auto out = either(depth + 1);
      if (!take(")")) return fail("a \")\" is missing in the rule");
      return out;
    }
    skip();
    std::string name;
    while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') || (text_[at_] >= 'A' && text_[at_] <= 'Z')))
      name += text_[at_++];
    if (name.empty() || !take("(")) return fail("the rule cannot be read");
    std::vector<std::string> values;
    while (!take(")")) {
      skip();
      if (at_ >= text_.size() || (text_[at_] != '`' && text_[at_] != '"' && text_[at_] != '\''))
        return fail("the rule cannot be read");
      const auto end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) return fail("a quote is not closed in the rule");
      values.emplace_back(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      take(",");
    }
    if (values.empty()) return fail(name + " names nothing");
    return matcher(lower(name), name, values);
  }

  static Alternatives matcher(const std::string& kind, const std::string& name,
                              const std::vector<std::string>& values) {
    const char* const other = "headgate chooses routes by host, path, method, fields, parameters and addresses";
    if (!knows_matcher(kind)) return Alternatives(values.size(), unknown(name, other));
    for (const auto* field : {"headers", "header", "query", "headersregexp", "headerregexp", "queryregexp"})
      if (kind == field) return {field_match(kind, name, values)};
    TraefikMatch match;
    if (kind == "method") match.methods = values;
    if (kind == "clientip") match.client_ip = values;
    if (kind == "method" || kind == "clientip") return {match};
    Alternatives out;
    for (const auto& value : values) out.push_back(one_match(kind, name, value));
    return out;
  }

  std::string_view text_;
  std::string why_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<TraefikMatch> matches_of(std::string_view rule) { return RuleReader(rule).all(); }

}  // namespace headgate::translate
