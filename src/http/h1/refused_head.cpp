#include "headgate/http/fields.hpp"
#include "headgate/http/h1/refused.hpp"
#include "headgate/http/host.hpp"

#include <algorithm>

namespace headgate::http::h1 {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kLongestMethod = 32;

/// Returns whether the character is allowed in a target regardless of its neighbours.
bool is_visible(char c) noexcept { return c > ' ' && c < '\x7f'; }

/// Removes and returns the first line, without its end; empty if it is not complete.
std::string_view take_line(std::string_view& bytes) noexcept {
  const auto end = bytes.find(kLineEnd);
  if (end == std::string_view::npos) return bytes = {};
  const auto line = bytes.substr(0, end);
  bytes.remove_prefix(end + kLineEnd.size());
  return line;
}

/// Returns the word before the next space and removes both; removes nothing if there is no space.
std::string_view take_word(std::string_view& line) noexcept {
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return {};
  const auto word = line.substr(0, space);
  line.remove_prefix(space + 1);
  return word;
}

void read_path(std::string_view target, const Limits& limits, RequestHead& head) {
  const auto mark = std::min(target.find('?'), target.size());
  const auto path = target.substr(0, mark);
  if (path.size() > limits.target_bytes) return;
  if (!std::all_of(path.begin(), path.end(), is_visible)) return;
  if (normalise_path(path, head.path, head.path_sent) == PathKind::refused) {
    head.path.clear();
    head.path_sent.clear();
  }
}

/// Reads the single Host field if its value is a valid host.
void read_host(std::string_view lines, RequestHead& head) {
  unsigned hosts = 0;
  std::string_view value;
  while (!lines.empty()) {
    const auto line = take_line(lines);
    if (line.empty()) break;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !same_word(line.substr(0, colon), "Host")) continue;
    ++hosts;
    value = trimmed(line.substr(colon + 1));
  }
  if (hosts == 1 && normalise_host(value, head.host))
    head.authority = value;
  else
    head.host.clear();
}

}  // namespace

void read_refused_head(std::string_view bytes, const Limits& limits, RequestHead& head) {
  head.method = head.target = head.authority = head.query = {};
  head.host.clear();
  head.path.clear();
  head.path_sent.clear();
  head.hides_slash = false;
  const bool one_line = bytes.find(kLineEnd) == std::string_view::npos;
  auto rest = bytes;
  auto line = one_line ? bytes : take_line(rest);
  const auto method = take_word(line);
  if (method.empty() || method.size() > kLongestMethod || !is_token(method)) return;
  head.method = method;
  // If the target is too long, the path before its query may still be complete.
  const auto target = take_word(line);
  const auto begun = target.empty() ? line.substr(0, line.find('?')) : target;
  if (!begun.starts_with('/')) return;  // an absolute target has a host of its own
  if (!target.empty() || begun.size() < line.size()) read_path(begun, limits, head);
  if (!one_line) read_host(rest, head);
}

}  // namespace headgate::http::h1
