#pragma once
// Tables for people: columns under their heads, in 100 columns, with colours only on a terminal.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::cli {

enum class Paint : std::uint8_t { none, good, bad, faint };

struct Cell {
  // NOLINTNEXTLINE(google-explicit-constructor): a text is a cell
  Cell(std::string what, Paint how = Paint::none) : text(std::move(what)), paint(how) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Cell(const char* what, Paint how = Paint::none) : text(what), paint(how) {}
  std::string text;
  Paint paint = Paint::none;
};

/// Rows of cells under heads. A column of numbers is aligned to the right.
class TextTable {
 public:
  static constexpr std::size_t kWidth = 100;

  explicit TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}
  /// Missing cells are empty.
  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const noexcept { return rows_.empty(); }
  /// With a line break after each row. What makes a line wider than `width` is cut in its widest column, which ends
  /// with "…" then.
  std::string text(bool colours, std::size_t width = kWidth) const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<Cell>> rows_;
};

/// The columns of the terminal that stdout is, at least 40; without end if it is a pipe or a file: nothing is cut for
/// programs.
std::size_t stdout_width();

/// Returns whether stdout is a terminal that shows colours, and $NO_COLOR is not set (no-color.org).
bool stdout_has_colours();

}  // namespace headgate::cli
