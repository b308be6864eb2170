#pragma once
// Tables for people: columns with headings, 100 columns wide, with colours only on a terminal.

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

/// Rows of cells with headings. A column of numbers is aligned to the right.
class TextTable {
 public:
  static constexpr std::size_t kWidth = 100;

  explicit TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}
  /// Adds a row. Missing cells are empty.
  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const noexcept { return rows_.empty(); }
  /// Returns the table with a line break after each row. If a line is wider than `width`, its widest column is cut and
  /// ends with "…".
  std::string text(bool colours, std::size_t width = kWidth) const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<Cell>> rows_;
};

/// Returns the width of the terminal on stdout, at least 40 columns. Unlimited for a pipe or a file, because nothing is
/// cut for programs.
std::size_t stdout_width();

/// Returns whether stdout is a terminal that shows colours, and $NO_COLOR is not set (no-color.org).
bool stdout_has_colours();

}  // namespace headgate::cli
