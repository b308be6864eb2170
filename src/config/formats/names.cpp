// Checks names, fields, methods and paths.

#include "config/text/report.hpp"
#include "formats.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/http/path.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace headgate::config {
namespace {

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    path.remove_prefix(1);  // removes the slash
    out.push_back(path.substr(0, path.find('/')));
    path.remove_prefix(out.back().size());
  }
  return out;
}

bool is_parameter(std::string_view segment) {
  if (!segment.starts_with('{') || !segment.ends_with('}')) return false;
  return gateway::is_path_parameter(segment.substr(1, segment.size() - 2));
}

std::optional<LiteralError> check_segments(std::string_view path) {
  const auto all = segments(path);
  std::set<std::string_view> parameters;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto segment = all[i];
    if (segment.find('*') != std::string_view::npos && (segment != "*" || i + 1 < all.size())) {
      return LiteralError{"'*' can only be the last segment of a path, alone",
                          R"(write "/prefix/*" for everything below, or "{name}" for one segment)"};
    }
    if (segment.find(';') != std::string_view::npos) {
      return LiteralError{"';' and what follows it in a segment are ignored when paths are matched",
                          "write " + in_quotes('/' + std::string(segment.substr(0, segment.find(';'))))};
    }
    if (segment.find_first_of("{}") == std::string_view::npos) continue;
    if (!is_parameter(segment)) {
      return LiteralError{in_quotes(segment) + " is not a path parameter",
                          "a parameter is a whole segment, as in \"/users/{id}\"; its name has letters, digits and _"};
    }
    if (!parameters.insert(segment).second) {
      return LiteralError{"the parameter " + in_quotes(segment) + " appears twice in this path",
                          "give each its own name"};
    }
  }
  return std::nullopt;
}

std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && std::string_view("\"<>\\^`{}%").find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 0xFU];
  }
  return out;
}

// Returns the normal form of a path; empty if `path` is not one.
std::string normal_form(std::string_view path) {
  std::string matched;
  std::string sent;
  const auto kind = http::normalise_path(path, matched, sent);
  return kind == http::PathKind::refused ? std::string() : matched;
}

// Returns a literal segment in the form that it has in requests. A '*' or a brace has a meaning in patterns, so a
// literal one is written as %XX.
std::string literal(std::string_view segment) {
  std::string out;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const auto escape = segment.substr(i, 3);
    const bool special = escape == "%2A" || escape == "%7B" || escape == "%7D";
    out += special ? http::matched_segment(escape) : std::string(1, segment[i]);
    if (special) i += 2;
  }
  return out;
}

// Rejects a pattern that is not in normal form. Requests are compared in their normal form, so the pattern would never
// match.
std::optional<LiteralError> check_normal_form(std::string_view path) {
  std::string plain;
  for (const auto segment : segments(path)) {
    plain += '/';
    plain += is_parameter(segment) ? std::string(segment.size(), 'x') : literal(segment);
  }
  const auto normal = normal_form(plain);
  if (normal.empty()) {
    const auto escaped = percent_encoded(path);
    if (plain == path && !normal_form(escaped).empty()) {
      return LiteralError{in_quotes(path) + " has a character that must be written as %XX in a path",
                          "write " + in_quotes(escaped)};
    }
    return LiteralError{in_quotes(path) + " has a character that no path can have", "write such characters as %XX"};
  }
  if (normal == plain) return std::nullopt;
  return LiteralError{"no request has the path " + in_quotes(path) + ": paths are normalised before they are matched",
                      path.find('{') == std::string_view::npos
                          ? "write " + in_quotes(normal)
                          : "leave out empty segments, \".\", \"..\" and needless escapes"};
}

}  // namespace

std::optional<LiteralError> check_not_empty(std::string_view text) {
  if (!text.empty()) return std::nullopt;
  return LiteralError{"this text is empty", "write one, or leave the key out"};
}

Result<std::string, LiteralError> parse_priority_from(std::string_view text) {
  constexpr std::string_view kHeader = "header:";
  const LiteralError fault{in_quotes(text) + " cannot name priorities",
                           R"(write the field that a trusted proxy sets: "header:X-Priority")"};
  if (!text.starts_with(kHeader) || check_field_name(text.substr(kHeader.size()))) return fault;
  return Result<std::string, LiteralError>(boost::system::in_place_value, lower(text.substr(kHeader.size())));
}
std::optional<LiteralError> check_priority_from(std::string_view text) {
  const auto read = parse_priority_from(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_name(std::string_view text) {
  if (!text.empty() && text.size() <= 64 && all_alnum(text, "-_.")) return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be a name", "a name is 1 to 64 letters, digits, '-', '_' or '.'"};
}

std::optional<LiteralError> check_route_name(std::string_view text) {
  if (!text.empty() && text.size() <= 128 && printable(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be a route's name",
                      "a route's name is 1 to 128 printable ASCII characters"};
}

std::optional<LiteralError> check_instance(std::string_view text) {
  if (http::is_token(text) && text.size() <= 128) return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be an instance's name",
                      "it is part of the Via field: 1 to 128 letters, digits, '-', '_' or '.'"};
}

std::optional<LiteralError> check_key_prefix(std::string_view text) {
  // Keys of Redis have a hash tag in braces, so that all keys of one decision are in one slot of a cluster. A brace in
  // the prefix would change that slot.
  if (text.size() <= 64 && printable(text) && text.find_first_of("{} ") == std::string_view::npos) return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be a key prefix",
                      "a prefix is at most 64 printable characters, without spaces and braces"};
}

namespace {

/// Returns the path without the syntax of regular expressions: "^/api/.*$" becomes "/api/*".
std::string without_expression(std::string_view text) {
  while (!text.empty() && std::string_view("^~* ").find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (text.ends_with('$')) text.remove_suffix(1);
  std::string path(text);
  for (const std::string_view all : {"(.*)", "(.+)", ".*", ".+"}) {
    if (!path.ends_with(all)) continue;
    path.resize(path.size() - all.size());
    return path + (path.ends_with('/') ? "*" : "/*");
  }
  return path;
}

std::optional<LiteralError> check_expression(std::string_view text) {
  const bool expression = text.starts_with('^') || text.starts_with('~') || text.ends_with('$') ||
                          text.find(".*") != std::string_view::npos || text.find(".+") != std::string_view::npos ||
                          text.find("[^") != std::string_view::npos || text.find('\\') != std::string_view::npos ||
                          (text.find('(') != std::string_view::npos && text.find('|') != std::string_view::npos);
  if (!expression) return std::nullopt;
  const auto plain = without_expression(text);
  const bool usable =
      plain.starts_with('/') && plain.find_first_of("^$()[]|\\+?") == std::string::npos && !check_path(plain);
  return LiteralError{in_quotes(text) + " looks like a regular expression, but a path is not one",
                      usable ? "write " + in_quotes(plain)
                             : R"(write "/prefix/*" for everything below, and "{name}" for any one segment)"};
}

}  // namespace

std::optional<LiteralError> check_path(std::string_view text) {
  if (auto error = check_expression(text)) return error;
  if (text.find("://") != std::string_view::npos) {
    return LiteralError{in_quotes(text) + " is not a path",
                        "write the path alone, as in \"/v1/*\"; a host goes into \"host\""};
  }
  if (!text.starts_with('/')) {
    const auto path = text == "*" ? std::string("/*") : '/' + std::string(text);
    if (const auto error = check_path(path)) return LiteralError{"a path begins with '/'", error->help};
    return LiteralError{"a path begins with '/'", "write " + in_quotes(path)};
  }
  if (text.size() > 2'048) return LiteralError{"this path is longer than 2048 characters", "shorten it"};
  if (const auto extra = text.find_first_of("?#"); extra != std::string_view::npos) {
    return LiteralError{"a path here has no query and no fragment", "write " + in_quotes(text.substr(0, extra))};
  }
  if (auto error = check_segments(text)) return error;
  return check_normal_form(text);
}

std::optional<LiteralError> check_usage_path(std::string_view text) {
  if (auto error = check_path(text)) return error;
  if (text.size() > 1 && text.find_first_of("*{") == std::string_view::npos && !text.ends_with('/'))
    return std::nullopt;
  return LiteralError{"\"usage\" must be a single path, without parameters, \"*\" and a final '/'",
                      R"(write "/.headgate/usage")"};
}

std::optional<LiteralError> check_method(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kKnown{"GET",    "HEAD",  "POST",    "PUT",
                                                          "DELETE", "PATCH", "OPTIONS", "TRACE"};
  if (text == "CONNECT") return LiteralError{"CONNECT is not proxied", "leave it out"};
  const bool upper = std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  const auto near = nearest(text, kKnown);
  // A text that differs in one letter from a known method is taken for a misspelling. Requests with the intended method
  // would bypass the route.
  const bool misspelt = !near.empty() && near != text && edit_distance(text, near) <= 1;
  if (http::is_token(text) && upper && text.size() <= 32 && !misspelt) return std::nullopt;
  if (near.empty() && !upper && http::is_token(text)) {
    std::string meant(text);
    for (char& c : meant) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return LiteralError{in_quotes(text) + " is not a method", "write " + in_quotes(meant)};
  }
  return LiteralError{in_quotes(text) + " is not a method",
                      near.empty() ? "methods are upper-case words: GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"
                                   : "write " + in_quotes(near)};
}

std::optional<LiteralError> check_field_name(std::string_view text) {
  if (http::is_token(text) && text.size() <= 128) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a valid field name",
                      R"(a field name has letters, digits and '-', as in "X-API-Key")"};
}

std::optional<LiteralError> check_condition_field(std::string_view text) {
  if (http::same_word(text, "Host"))
    return LiteralError{"a route names its host in \"host\"", "write \"host\": \"api.example.com\""};
  return check_field_name(text);
}

std::optional<LiteralError> check_condition_parameter(std::string_view text) {
  if (!text.empty() && text.size() <= 128 && trimmed(text) == text) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a parameter's name", "write 1 to 128 characters, as decoded"};
}

std::optional<LiteralError> check_condition_value(std::string_view text) {
  if (text.size() <= 1'024) return std::nullopt;
  return LiteralError{"this value is longer than 1024 bytes", "shorten it, or write true for any value"};
}

std::optional<LiteralError> check_proxy_field(std::string_view text) {
  const bool family = text.ends_with("-*");
  const auto name = family ? text.substr(0, text.size() - 1) : text;
  if (name.find('*') != std::string_view::npos || name == "-") {
    return LiteralError{in_quotes(text) + " is not a valid field name",
                        R"('*' must be at the end, after a '-', as in "X-Forwarded-*")"};
  }
  if (http::same_word(text, "Host")) {
    return LiteralError{"every request has a Host field", "leave it out; the routes decide which hosts are served"};
  }
  return check_field_name(name);
}

std::optional<LiteralError> check_field_value(std::string_view text) {
  if (!text.empty() && text.size() <= 256 && printable(text) && text.front() != ' ' && text.back() != ' ')
    return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be sent in a header field",
                      "write 1 to 256 printable ASCII characters"};
}

std::optional<LiteralError> check_log_caller(std::string_view text) {
  constexpr std::string_view kClaim = "jwt.";
  constexpr std::string_view kGroup = "group:";
  if (text == "owner" || text == "basic.user" ||
      (text.starts_with(kClaim) && !check_claim(text.substr(kClaim.size()))) ||
      (text.starts_with(kGroup) && identity::is_group_name(text.substr(kGroup.size()))))
    return std::nullopt;
  const bool key = text == "api_key" || text == "key" || text == "keys" || text == "api_keys";
  const bool claim = text == "sub" || text == "user" || text == "jwt";
  return LiteralError{
      in_quotes(text) + " cannot be logged about a caller",
      key     ? R"(write "owner" for the owner of the key; keys themselves are never logged)"
      : claim ? R"(did you mean "jwt.sub"?)"
              : R"(write "owner" (of an API key), "group:team", "basic.user", or a claim, as in "jwt.sub")"};
}

std::optional<LiteralError> check_include(std::string_view text) {
  if (auto error = check_file_path(text)) return LiteralError{error->message, R"(write it as "routes/*.json")"};
  const auto slash = text.rfind('/');
  const auto name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const auto stars = std::count(text.begin(), text.end(), '*');
  if (name.empty() || stars > 1 || std::count(name.begin(), name.end(), '*') != stars) {
    return LiteralError{
        in_quotes(text) + " does not name files to include",
        R"(write a file's path, with one '*' in its last segment if it stands for several: "routes/*.json")"};
  }
  return std::nullopt;
}

std::optional<LiteralError> check_advice_entry(std::string_view text) {
  const auto blank = text.find(' ');
  const auto word = text.substr(0, blank);
  const bool placed =
      blank == std::string_view::npos || (text.substr(blank + 1).starts_with('/') && !text.ends_with('/'));
  if (!word.empty() && all_alnum(word, "_") && placed) return std::nullopt;
  return LiteralError{
      in_quotes(text) + " is not a piece of advice",
      R"(write its name or code, and after a space the place that it shows in []: "never_binds /limits/burst")"};
}

std::optional<LiteralError> check_file_path(std::string_view text) {
  if (!text.empty() && text.size() <= 4'096) return std::nullopt;
  return LiteralError{"this is not a file's path", R"(write it as "/etc/headgate/jwt.pem")"};
}

}  // namespace headgate::config
