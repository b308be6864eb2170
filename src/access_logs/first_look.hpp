#pragma once
// What the first lines of a log are.

#include "line_reader.hpp"
#include "log_input.hpp"

#include <optional>
#include <string>

namespace headgate::access_logs {

struct FirstLook {
  const LineFormat* format = nullptr;  ///< null: there is no line
  std::string first_line;              ///< without byte order mark
  std::optional<Instant> written;      ///< of the first request; nothing: none of the lines has one
  std::string bytes;                   ///< all that was read
};

/// The bytes that a text may begin with, and which belong to no line.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Reads up to 64 KiB behind blank lines, of a pipe until there is a whole line. `chosen`: the format is this one, not
/// the one that reads most lines and most of their parts. The error is a sentence without the name of the file.
Result<FirstLook, std::string> look_at(LogInput& input, const LineFormat* chosen,
                                       const std::vector<std::string>& values);

}  // namespace headgate::access_logs
