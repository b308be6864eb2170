#pragma once
// Memory for one text at a time, as the heads of messages are.

#include "headgate/core/text_cursor.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace headgate {

/// Keeps its memory for the next text. A string would fill it with zeros each time, before it is written.
class TextBuffer {
 public:
  /// What write(cursor) writes, which is at most `most` bytes, in place of what was there. Valid until the next call.
  template <class Write>
  std::string_view write(std::size_t most, Write&& write) {
    if (most > room_) {
      room_ = 0;
      bytes_ = std::make_unique_for_overwrite<char[]>(most);
      room_ = most;
    }
    TextCursor cursor(bytes_.get(), most);
    write(cursor);
    return {bytes_.get(), static_cast<std::size_t>(cursor.at() - bytes_.get())};
  }

  /// The text is not needed any more, and who has it may wait for long: gives back a room that is larger than most.
  void done() noexcept {
    if (room_ <= kKept) return;
    room_ = 0;
    bytes_.reset();
  }

 private:
  static constexpr std::size_t kKept = 4096;

  std::unique_ptr<char[]> bytes_;
  std::size_t room_ = 0;
};

}  // namespace headgate
