#pragma once
// A reusable buffer for one text at a time, such as the head of a message. Used by http, net, upstream, observe and
// gateway.

#include "headgate/core/text_cursor.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace headgate {

/// The buffer. Keeps its memory for the next text. A std::string would fill its memory with zeros before each write.
class TextBuffer {
 public:
  /// Returns the text that write(cursor) writes, of at most `most` bytes, which replaces the previous text. Valid until
  /// the next call.
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

  /// Releases unusually large memory, because the text is not needed any more and the owner may wait for a long time.
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
