#include "haproxy_syntax.hpp"

#include "translate/unreadable.hpp"

#include <algorithm>
#include <array>

namespace headgate::translate {
namespace {

constexpr std::size_t kMaxLines = 200'000;
constexpr std::array<std::string_view, 16> kSections{
    "global",  "defaults",    "frontend", "backend", "listen", "peers",    "resolvers", "userlist",
    "mailers", "http-errors", "cache",    "program", "ring",   "fcgi-app", "crt-store", "log-forward"};

/// Splits a line into words and handles quotes, escapes and comments as HAProxy does.
std::vector<std::string> words_of(std::string_view line, const Spot& spot) {
  std::vector<std::string> out;
  std::string word;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' || c == '\t' || c == '\r') {
      if (inside) out.push_back(std::move(word));
      word.clear();
      inside = false;
    } else if (c == '#' && !inside) {
      break;
    } else if (c == '\\') {
      inside = true;
      if (++i >= line.size()) throw Unreadable({spot.file, spot.line, i}, "the line ends behind a backslash");
      word += line[i] == 'n' ? '\n' : line[i] == 'r' ? '\r' : line[i] == 't' ? '\t' : line[i];
    } else if (c == '"' || c == '\'') {
      inside = true;
      const auto begin = i;
      for (++i; i < line.size() && line[i] != c; ++i) {
        if (line[i] == '\\' && c == '"' && i + 1 < line.size()) ++i;
        word += line[i];
      }
      if (i >= line.size()) throw Unreadable({spot.file, spot.line, begin + 1}, "this quote is not closed");
    } else {
      inside = true;
      word += c;
    }
  }
  if (inside) out.push_back(std::move(word));
  return out;
}

}  // namespace

std::string HaproxyLine::text() const {
  std::string out;
  for (const auto& each : words) {
    if (out.size() > 200) break;
    out += (out.empty() ? "" : " ") + each;
  }
  return out;
}

std::string_view HaproxyLine::after(std::string_view name) const noexcept {
  const auto found = std::find(words.begin(), words.end(), name);
  return found == words.end() || found + 1 == words.end() ? std::string_view() : std::string_view(*(found + 1));
}

std::vector<HaproxySection> read_haproxy(const std::string& text, const std::string& file, std::size_t& count) {
  std::vector<HaproxySection> out;
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto first = line.find_first_not_of(" \t");
    const Spot spot{file, number, first == std::string_view::npos ? 1 : first + 1};
    auto words = words_of(line, spot);
    if (words.empty()) continue;
    if (++count > kMaxLines) throw Unreadable(spot, "there are more than " + std::to_string(kMaxLines) + " lines");
    if (std::find(kSections.begin(), kSections.end(), words.front()) != kSections.end()) {
      const auto kind = words.front();
      const auto name = words.size() > 1 ? words[1] : std::string();
      out.push_back({kind, name, {std::move(words), spot}, {}});
    } else if (out.empty()) {
      throw Unreadable(spot, "no section is open: \"" + words.front().substr(0, 40) + "\"",
                       "a file of HAProxy begins with global, defaults, frontend, backend or listen");
    } else {
      out.back().lines.push_back({std::move(words), spot});
    }
  }
  return out;
}

}  // namespace headgate::translate
