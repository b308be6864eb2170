#include "headgate/http/fields.hpp"
#include "headgate/http/h1/refused.hpp"
#include "headgate/http/path.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace headgate::http::h1 {
namespace {

using Place = std::optional<std::size_t>;

constexpr auto kNone = std::string_view::npos;

bool is_odd(char c) noexcept { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f'; }

/// Finds the first byte that refused_lines() objects to: CR without LF or the reverse, another control character, a
/// folded line.
Place odd_byte(std::string_view bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!is_odd(bytes[i])) continue;
    if (bytes[i] != '\r' || i + 1 == bytes.size()) return bytes[i] == '\r' ? Place() : Place(i);
    if (bytes[i + 1] != '\n') return i;
    if (bytes.substr(i).starts_with("\r\n\r\n")) return std::nullopt;
    ++i;
    if (i + 1 < bytes.size() && (bytes[i + 1] == ' ' || bytes[i + 1] == '\t')) return i + 1;
  }
  return std::nullopt;
}

std::size_t first_that(std::string_view bytes, std::size_t from, std::size_t end, bool (*is_it)(char)) {
  while (from < end && !is_it(bytes[from])) ++from;
  return from;
}

bool no_token(char c) { return !is_token(std::string_view(&c, 1)); }
bool no_target(char c) { return c <= ' ' || c == '\x7f'; }

/// The positions of the words in the first line. A missing word is empty.
struct FirstLine {
  std::size_t method_end = 0;
  std::size_t target = 0;
  std::size_t target_end = 0;
  std::size_t end = 0;

  explicit FirstLine(std::string_view bytes) : end(std::min(bytes.find('\r'), bytes.size())) {
    method_end = first_that(bytes, 0, end, no_token);
    target = std::min(method_end + 1, end);
    target_end = first_that(bytes, target, end, no_target);
  }
};

/// Returns the position of the first wrong character of an HTTP version.
std::size_t place_in_version(std::string_view bytes, std::size_t from, std::size_t end) {
  constexpr std::string_view kVersion = "HTTP/1.1";
  std::size_t same = 0;
  while (same < kVersion.size() && from + same < end && bytes[from + same] == kVersion[same]) ++same;
  return from + same;
}

/// Finds the first character or escape that is not allowed in a path or query.
Place place_in_target(std::string_view bytes, std::size_t from, std::size_t end,
                      bool (*valid)(std::string_view) noexcept) {
  for (auto at = from; at < end; ++at) {
    const bool escape = bytes[at] == '%';
    const auto piece = bytes.substr(at, escape ? std::min<std::size_t>(3, end - at) : 1);
    const std::string whole = (valid == &valid_query ? "?" : "/") + std::string(piece);
    if (!valid(whole)) return at;
    if (escape) at += piece.size() - 1;
  }
  return from;
}

/// Finds the value of the last field with this name; empty if there is none.
Place value_of_last(std::string_view bytes, std::string_view name) {
  Place out;
  for (auto line = bytes.find("\r\n"); line != kNone;) {
    line += 2;
    const auto end = std::min(bytes.find("\r\n", line), bytes.size());
    if (end == line) break;
    const auto text = bytes.substr(line, end - line);
    if (text.size() > name.size() && text[name.size()] == ':' && same_word(text.substr(0, name.size()), name)) {
      auto value = line + name.size() + 1;
      while (value < end && (bytes[value] == ' ' || bytes[value] == '\t')) ++value;
      out = value;
    }
    line = bytes.find("\r\n", line);
  }
  return out;
}

/// Finds the first field with an invalid name, or the first field beyond the maximum.
Place place_in_fields(std::string_view bytes, std::size_t from, std::size_t most) {
  for (std::size_t fields = 0; from < bytes.size() && !bytes.substr(from).starts_with("\r\n"); ++fields) {
    if (fields == most) return from;
    const auto end = std::min(bytes.find('\r', from), bytes.size());
    const auto colon = first_that(bytes, from, end, no_token);
    if (colon == from || colon == end || bytes[colon] != ':') return colon;
    from = std::min(end + 2, bytes.size());
  }
  return std::nullopt;
}

/// Returns the field name that the sentence begins with, if any.
std::string_view named_field(std::string_view why) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"Transfer-Encoding", "Content-Length", "Connection", "Host"};
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](auto name) { return why.starts_with(name); });
  return found == kNames.end() ? std::string_view() : *found;
}

}  // namespace

std::optional<std::size_t> fault_place(std::string_view bytes, const Limits& limits, const ParseError& fault) {
  const std::string_view why(fault.why);
  if (fault.status == 408) return bytes.size();
  if (bytes.empty() || fault.status == 503) return std::nullopt;
  if (const auto odd = odd_byte(bytes); odd && fault.status == 400) return odd;
  if (no_token(bytes.front())) return 0;
  const FirstLine line(bytes);
  if (why.starts_with("The request's head")) return bytes.size();
  if (fault.status == 414) return std::min(line.target + limits.target_bytes, bytes.size());
  if (fault.status == 417) return value_of_last(bytes, "Expect");
  if (line.method_end == line.end || bytes[line.method_end] != ' ') return line.method_end;
  if (line.target_end == line.end || line.target_end == line.target || bytes[line.target_end] != ' ')
    return line.target_end;
  const auto version = line.target_end + 1;
  if (const auto at = place_in_version(bytes, version, line.end); why.find("version") != kNone || fault.status == 505)
    return at;
  if (why.starts_with("methods") || fault.status == 501) return 0;
  if (const auto name = named_field(why); !name.empty()) return value_of_last(bytes, name);
  const auto target = bytes.substr(line.target, line.target_end - line.target);
  const auto mark = line.target + std::min(target.find('?'), target.size());
  if (why.starts_with("the query")) return place_in_target(bytes, mark + 1, line.target_end, &valid_query);
  if (why.starts_with("the path")) return place_in_target(bytes, line.target, mark, &valid_path);
  if (why.starts_with("the target")) return line.target;
  return place_in_fields(bytes, std::min(line.end + 2, bytes.size()), fault.status == 431 ? limits.fields : kNone);
}

}  // namespace headgate::http::h1
