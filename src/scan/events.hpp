#pragma once
// Server-Sent Events (WHATWG HTML, section 9.2), whose data are documents of JSON.

#include "json.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::scan {

/// Splits a stream into events, and gives the data of each to a reader of JSON.
class Events {
 public:
  void begin() noexcept { *this = Events(); }
  void feed(std::string_view piece, JsonScanner& json) noexcept;
  /// Says that the stream is complete. An event without the blank line at its end counts too.
  void end(JsonScanner& json) noexcept;

 private:
  enum class Line : std::uint8_t {
    mark,   ///< a byte order mark at the beginning of the stream
    name,   ///< the name of the field
    blank,  ///< behind the colon of `data`, where one blank is skipped
    data,
    other,  ///< a comment, or a field that is not read
  };
  enum class Data : std::uint8_t {
    none,   ///< only blanks so far
    array,  ///< "[", which can also begin "[DONE]"
    json,
    ignored,  ///< not JSON
  };

  const char* read_name(const char* at, const char* end, JsonScanner& json) noexcept;
  void begin_data(JsonScanner& json) noexcept;
  void give(std::string_view data, JsonScanner& json) noexcept;
  void end_line(JsonScanner& json) noexcept;
  void end_event(JsonScanner& json) noexcept;

  Line line_ = Line::mark;
  Data data_ = Data::none;
  std::uint8_t matched_ = 0;  ///< bytes of the mark, or of the name `data`
  bool empty_line_ = true;
  bool data_before_ = false;   ///< the event has a line of data
  bool after_return_ = false;  ///< a line feed belongs to the carriage return before it
};

}  // namespace headgate::scan
