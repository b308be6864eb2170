#pragma once
// Formats lines of the access log.

#include "observe/log/access_line.hpp"

#include "headgate/core/text_cursor.hpp"

#include <cstdint>
#include <string>

namespace headgate::test {

/// Returns the line of `record` in this format, without its line feed. A debug build stops if the line is longer than
/// most_of() allows.
inline std::string access_line(const observe::AccessRecord& record, observe::LogOptions options,
                               observe::LogFormat format, Instant at, std::uint64_t dropped = 0,
                               observe::Coloured coloured = observe::Coloured::no) {
  options.format = format;
  std::string out;
  append_text(out, observe::most_of(options) + observe::most_of(record.fields), [&](TextCursor& cursor) {
    observe::write_line(cursor, {record, options, at, dropped}, coloured);
  });
  return out;
}

}  // namespace headgate::test
