#pragma once
// What the parts of a format are, and where they are in a line.

#include "headgate/access_logs/line_format.hpp"
#include "headgate/http/fields.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::access_logs {

/// Where the parts of a line are.
struct LineCells {
  static constexpr std::size_t kMax = 128;
  static constexpr std::size_t kMaxFields = 64;

  std::array<std::string_view, kMax> at{};       ///< by the number of the part; empty: the line has none
  std::array<http::Field, kMaxFields> fields{};  ///< those of Meaning::fields
  std::size_t fields_count = 0;
  bool rest = false;  ///< whether the line has more behind the last part
};

/// What the parts of a format are, by their numbers.
struct LineParts {
  struct Part {
    std::string name;
    Meaning meaning = Meaning::nothing;
    std::string text;
    http::Known id = http::Known::unknown;
  };
  std::vector<Part> all;  ///< each stays where it is: fields of requests have its name

  LineParts() { all.reserve(LineCells::kMax); }

  /// False: there are too many.
  bool add(std::string_view name, Meaning meaning, std::string_view text = {});
};

/// Returns whether a part says nothing. Compared byte by byte: a call of memcmp for each part would be a tenth of the
/// time.
inline bool untold(std::string_view cell) noexcept { return cell.empty() || (cell.size() == 1 && cell.front() == '-'); }

}  // namespace headgate::access_logs
