#pragma once
// Detects the format of a log from its first lines.

#include "line_reader.hpp"
#include "log_input.hpp"

#include <optional>
#include <string>

namespace headgate::access_logs {

struct FirstLook {
  const LineFormat* format = nullptr;  ///< null if there is no line
  std::string first_line;              ///< without the byte order mark
  std::optional<Instant> written;      ///< time of the first request; absent if no line has one
  std::string bytes;                   ///< all bytes read so far
};

/// Bytes that may be at the start of a text and are no part of its first line.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Reads the beginning of a log: up to 64 KiB after blank lines, or, from a pipe, until there is a whole line. The
/// format is `chosen` if it is not null; otherwise it is the format that reads most lines and most of their parts. The
/// error is a sentence without the name of the file.
Result<FirstLook, std::string> look_at(LogInput& input, const LineFormat* chosen,
                                       const std::vector<std::string>& values);

}  // namespace headgate::access_logs
