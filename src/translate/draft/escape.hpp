#pragma once
// Literal text in regular expressions.

#include <string>
#include <string_view>

namespace headgate::translate {

/// Returns the expression that matches exactly this text.
inline std::string escaped_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace headgate::translate
