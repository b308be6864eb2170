#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace headgate::bench {
namespace {

/// printf's widths count bytes.
std::string padded(std::string text, std::size_t width) {
  const auto shown = static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
  if (shown < width) text.append(width - shown, ' ');
  return text;
}

}  // namespace

void print(const Rows& rows) {
  for (const Row& row : rows) {
    const char* const mark = !row.reached ? "" : *row.reached ? "yes" : "NO";
    std::cout << padded(row.what, 62) << padded(row.target, 14) << padded(mark, 5) << row.result << '\n' << std::flush;
  }
}

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace headgate::bench
