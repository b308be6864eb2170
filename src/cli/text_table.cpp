#include "text_table.hpp"

#include "printable.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace headgate::cli {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

/// Returns the number of characters, which is the width of the text: no text here has a character that is wider than
/// one column.
std::size_t width_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string cut(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end)
    if (!continues(text[end]) && ++characters > width - 1) break;
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

/// Returns whether the text is a number, such as "1 204", "0.9 %" or "< 0.1 %".
bool is_number(std::string_view text) noexcept {
  if (text.starts_with("< ") || text.starts_with("> ")) text.remove_prefix(2);
  if (text.ends_with(" %")) text.remove_suffix(2);
  const auto in_numbers = [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ' '; };
  return !text.empty() && std::all_of(text.begin(), text.end(), in_numbers) && text.front() != ' ' &&
         text.back() != ' ' && std::count(text.begin(), text.end(), '.') <= 1;  // excludes addresses
}

std::string_view code_of(Paint paint) noexcept {
  switch (paint) {
    case Paint::good:
      return "\x1b[32m";
    case Paint::bad:
      return "\x1b[31m";
    case Paint::faint:
      return "\x1b[2m";
    case Paint::none:
      break;
  }
  return {};
}

void append_painted(std::string& out, const std::string& text, Paint paint, bool colours) {
  const auto code = colours ? code_of(paint) : std::string_view();
  out += code;
  out += text;
  if (!code.empty()) out += "\x1b[0m";
}

}  // namespace

std::string TextTable::text(bool colours, std::size_t width) const {
  const auto columns = heads_.size();
  std::vector<std::vector<std::string>> texts{heads_};
  for (const auto& row : rows_) {
    auto& line = texts.emplace_back(columns);
    for (std::size_t i = 0; i < std::min(columns, row.size()); ++i) line[i] = printable(row[i].text);
  }
  std::vector<std::size_t> widths(columns);
  std::vector<bool> numbers(columns, !rows_.empty());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      widths[i] = std::max(widths[i], width_of(texts[row][i]));
      if (row > 0 && !texts[row][i].empty() && !is_number(texts[row][i])) numbers[i] = false;
    }
  }
  const auto gaps = columns > 0 ? kGap.size() * (columns - 1) : 0;
  while (std::accumulate(widths.begin(), widths.end(), gaps) > width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= 8) break;
    --*widest;
  }
  std::string out;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      const auto shown = cut(texts[row][i], widths[i]);
      const std::string blank(widths[i] - width_of(shown), ' ');
      const auto paint = row == 0 ? Paint::faint : i < rows_[row - 1].size() ? rows_[row - 1][i].paint : Paint::none;
      if (i > 0) line += kGap;
      if (numbers[i]) line += blank;
      append_painted(line, shown, paint, colours && !shown.empty());
      if (!numbers[i]) line += blank;
    }
    while (line.ends_with(' ')) line.pop_back();
    out += line + '\n';
  }
  return out;
}

std::size_t stdout_width() {
  constexpr std::size_t kMin = 40;
  if (::isatty(STDOUT_FILENO) != 1) return std::numeric_limits<std::size_t>::max();
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return TextTable::kWidth;
  return std::max<std::size_t>(size.ws_col, kMin);
}

bool stdout_has_colours() {
  const char* none = std::getenv("NO_COLOR");
  if (none != nullptr && *none != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace headgate::cli
