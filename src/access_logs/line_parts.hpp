#pragma once
// The parts of a format, and their values in a line.

#include "headgate/access_logs/line_format.hpp"
#include "headgate/http/fields.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::access_logs {

/// The values of a line.
struct LineCells {
  static constexpr std::size_t kMax = 128;
  static constexpr std::size_t kMaxFields = 64;

  std::array<std::string_view, kMax> at{};       ///< by the number of the part; empty if the line does not have it
  std::array<http::Field, kMaxFields> fields{};  ///< the parts with Meaning::fields
  std::size_t fields_count = 0;
  bool rest = false;  ///< the line has more text after the last part
};

/// The parts of a format by number.
struct LineParts {
  struct Part {
    std::string name;
    Meaning meaning = Meaning::nothing;
    std::string text;
    http::Known id = http::Known::unknown;
  };
  std::vector<Part> all;  ///< elements never move, because header fields refer to their names

  LineParts() { all.reserve(LineCells::kMax); }

  /// Adds a part; false if there are too many.
  bool add(std::string_view name, Meaning meaning, std::string_view text = {});
};

/// Returns whether a part has no value. Compares byte by byte, because a call of memcmp for each part would take a
/// tenth of the time.
inline bool untold(std::string_view cell) noexcept { return cell.empty() || (cell.size() == 1 && cell.front() == '-'); }

}  // namespace headgate::access_logs
