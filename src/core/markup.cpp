#include "headgate/core/markup.hpp"

#include <array>

namespace headgate {

std::string markup(std::string_view text) {
  constexpr std::string_view kMarks = "&<>\"'";
  constexpr std::array<std::string_view, kMarks.size()> kWritten{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string out;
  for (const char c : text) {
    if (const auto mark = kMarks.find(c); mark != kMarks.npos)
      out += kWritten[mark];
    else
      out += c;
  }
  return out;
}

}  // namespace headgate
