#pragma once
// Lines of the access log as texts.

#include "observe/access_line.hpp"

#include "headgate/core/text_cursor.hpp"

#include <cstdint>
#include <string>

namespace headgate::test {

/// The line of `record` in this format, without its end. A debug build stops if it is longer than most_of() says.
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
