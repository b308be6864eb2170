#include "event_end.hpp"

namespace headgate::gateway {

// A line ends with LF, CR, or CR LF (https://html.spec.whatwg.org/multipage/server-sent-events.html).
void EventEnd::take(char byte) noexcept {
  if (byte == '\n') {
    if (!after_return_) ++line_ends_;
  } else if (byte == '\r') {
    ++line_ends_;
  } else {
    line_ends_ = 0;
  }
  after_return_ = byte == '\r';
}

bool EventEnd::pass(std::string_view bytes) noexcept {
  constexpr std::size_t kLongestEnd = 4;  // "\r\n\r\n"
  if (bytes.size() > kLongestEnd) {
    line_ends_ = 0;
    after_return_ = false;
    bytes.remove_prefix(bytes.size() - kLongestEnd);
  }
  for (const char byte : bytes) take(byte);
  return at_end();
}

std::size_t EventEnd::find(std::string_view bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    take(bytes[i]);
    if (at_end()) return i + 1;
  }
  return bytes.npos;
}

}  // namespace headgate::gateway
