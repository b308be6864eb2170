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

  /// Value of each part by its number; empty if the line does not have the part.
  std::array<std::string_view, kMax> at{};
  std::array<http::Field, kMaxFields> fields{};  ///< header fields of the line, from the parts with Meaning::fields
  std::size_t fields_count = 0;
  bool rest = false;  ///< whether the line has more text after the last part
};

/// The parts of a format by number.
struct LineParts {
  struct Part {
    std::string name;
    Meaning meaning = Meaning::nothing;
    std::string text;
    http::Known id = http::Known::unknown;
  };
  /// A container whose elements never move in memory, because header fields refer to their names.
  std::vector<Part> all;

  LineParts() { all.reserve(LineCells::kMax); }

  /// Adds a part. Returns false if there are too many parts.
  bool add(std::string_view name, Meaning meaning, std::string_view text = {});
};

/// Returns whether a part has no value. Compares bytes, because a call of memcmp for each part would take a tenth of
/// the time of reading.
inline bool untold(std::string_view cell) noexcept { return cell.empty() || (cell.size() == 1 && cell.front() == '-'); }

}  // namespace headgate::access_logs
