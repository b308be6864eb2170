#pragma once
// The places where a streamed answer can be cut: the ends of its events or lines.

#include "headgate/scan/scan.hpp"

#include <cstddef>
#include <string_view>

namespace headgate::gateway {

/// Follows the bytes of a stream. Worker thread only.
class EventEnd {
 public:
  /// `form` is that of Server-Sent Events or of lines.
  explicit EventEnd(scan::Form form) noexcept : lines_(form == scan::Form::lines) {}

  /// Takes the next bytes, and returns whether no event is incomplete behind them.
  bool pass(std::string_view bytes) noexcept;
  /// Returns the number of bytes up to the end of the event under way; npos if it does not end in these bytes.
  std::size_t find(std::string_view bytes) noexcept;

 private:
  void take(char byte) noexcept;
  bool at_end() const noexcept { return lines_ ? line_ends_ > 0 : line_ends_ > 1; }

  bool lines_;
  bool after_return_ = false;  // whether the last byte was a carriage return
  unsigned line_ends_ = 2;     // ends of lines at the end of what has passed; a stream begins with an event
};

}  // namespace headgate::gateway
