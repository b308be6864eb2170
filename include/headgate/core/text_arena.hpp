#pragma once
// Memory for texts that a request needs until its end: one after another in one buffer, never moved.

#include "headgate/core/text_cursor.hpp"

#include <array>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headgate {

/// A bump allocator for text. Views stay valid until clear(). A text that does not fit any more goes to the heap.
class TextArena {
 public:
  /// The pieces, joined.
  std::string_view join(std::initializer_list<std::string_view> pieces) {
    std::size_t size = 0;
    for (const auto& piece : pieces) size += piece.size();
    char* const start = room(size);
    TextCursor cursor(start);
    for (const auto& piece : pieces) cursor.text(piece);
    return {start, size};
  }

  /// What write(cursor) writes, which is at most `most` bytes.
  template <class Write>
  std::string_view write(std::size_t most, Write&& write) {
    char* const start = room(most);
    TextCursor cursor(start);
    write(cursor);
    const auto size = static_cast<std::size_t>(cursor.at() - start);
    if (start + most == bytes_.data() + used_)
      used_ -= most - size;
    else
      overflow_.back().resize(size);
    return {start, size};
  }

  /// `text` followed by the pieces. The latest text grows in place, so a list made in pieces takes its space only once.
  /// The view `text` must not be used afterwards.
  std::string_view extend(std::string_view text, std::initializer_list<std::string_view> pieces) {
    const bool grows = !overflow_.empty() && overflow_.back().data() == text.data();
    const bool last = !text.empty() && text.data() + text.size() == bytes_.data() + used_;
    std::size_t size = last ? 0 : text.size();
    for (const auto& piece : pieces) size += piece.size();
    if (grows || size > bytes_.size() - used_) {
      auto& grown = grows ? overflow_.back() : overflow_.emplace_back(text);
      for (const auto& piece : pieces) grown += piece;
      return grown;
    }
    if (!last) text = join({text});
    for (const auto& piece : pieces) text = {text.data(), text.size() + join({piece}).size()};
    return text;
  }

  /// A whole number in decimal.
  template <class Integer>
  std::string_view number(Integer value) {
    return write(TextCursor::kMaxDigits, [value](TextCursor& out) { out.number(value); });
  }

  void clear() noexcept {
    used_ = 0;
    if (!overflow_.empty()) overflow_.clear();
  }

 private:
  char* room(std::size_t size) {
    if (size > bytes_.size() - used_) return overflow_.emplace_back(size, '\0').data();
    char* const start = bytes_.data() + used_;
    used_ += size;
    return start;
  }

  std::array<char, 4096> bytes_;
  std::size_t used_ = 0;
  std::deque<std::string> overflow_;
};

}  // namespace headgate
