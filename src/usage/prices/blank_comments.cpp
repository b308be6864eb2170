#include "blank_comments.hpp"

#include <algorithm>

namespace headgate::usage {
namespace {

/// Returns the offset after the text that begins at `at`.
std::size_t after_text(const std::string& json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"' && json[at] != '\n'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

}  // namespace

std::optional<std::size_t> blank_comments(std::string& json) {
  std::size_t last = json.npos;         // the last character that is neither blank nor comment
  std::size_t before_last = json.npos;  // and the one before it
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    const bool of_line = json.compare(at, 2, "//") == 0;
    if (of_line || json.compare(at, 2, "/*") == 0) {
      const auto end = of_line ? std::min(json.find('\n', at), json.size()) : json.find("*/", at + 2);
      if (end == json.npos) return at;
      for (const auto stop = of_line ? end : end + 2; at < stop; ++at)
        if (json[at] != '\n') json[at] = ' ';
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (closes && last != json.npos && json[last] == ',' && before_last != json.npos &&
        std::string_view("[{,:").find(json[before_last]) == std::string_view::npos)
      json[last] = ' ';
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      before_last = last;
      last = at;
    }
    at = c == '"' ? after_text(json, at) : at + 1;
    if (c == '"') last = at - 1;
  }
  return std::nullopt;
}

}  // namespace headgate::usage
