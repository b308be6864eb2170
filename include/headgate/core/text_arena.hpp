#pragma once
// Memory for texts that a request needs until its end: one after another in a few blocks, never moved. Used by gateway
// and http.

#include "headgate/core/text_cursor.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace headgate {

/// A bump allocator for text. Views stay valid until clear(). Must be written to and cleared on the same thread,
/// because its blocks come from that thread's pool (frame_pool.hpp).
class TextArena {
 public:
  TextArena() = default;
  TextArena(const TextArena&) = delete;
  TextArena& operator=(const TextArena&) = delete;
  ~TextArena() { free_blocks(); }

  /// Joins the pieces.
  std::string_view join(std::initializer_list<std::string_view> pieces) {
    std::size_t size = 0;
    for (const auto& piece : pieces) size += piece.size();
    char* const start = room(size);
    TextCursor cursor(start, size);
    for (const auto& piece : pieces) cursor.text(piece);
    return {start, size};
  }

  /// Returns the text that write(cursor) writes, of at most `most` bytes.
  template <class Write>
  std::string_view write(std::size_t most, Write&& write) {
    char* const start = room(most);
    TextCursor cursor(start, most);
    write(cursor);
    if (start + most == at_) at_ = cursor.at();  // otherwise another text was made meanwhile
    return {start, static_cast<std::size_t>(cursor.at() - start)};
  }

  /// Returns `text` followed by the pieces. The latest text grows in place, so a list made in pieces takes its space
  /// only once. The view `text` must not be used afterwards.
  std::string_view extend(std::string_view text, std::initializer_list<std::string_view> pieces) {
    std::size_t size = 0;
    for (const auto& piece : pieces) size += piece.size();
    const bool last = !text.empty() && text.data() + text.size() == at_;
    if (!last || size > static_cast<std::size_t>(end_ - at_)) {
      const auto whole = text.size() + size;
      // A text that grows in place will grow further, and should be moved rarely.
      if (whole > static_cast<std::size_t>(end_ - at_)) add_block(last ? 2 * whole : whole);
      text = join({text});
    }
    for (const auto& piece : pieces) text = {text.data(), text.size() + join({piece}).size()};
    return text;
  }

  /// Returns a whole number in decimal.
  template <class Integer>
  std::string_view number(Integer value) {
    return write(TextCursor::kMaxDigits, [value](TextCursor& out) { out.number(value); });
  }

  void clear() noexcept {
    if (blocks_ != nullptr) free_blocks();
    at_ = first_.data();
    end_ = first_.data() + first_.size();
  }

 private:
  struct Block {
    Block* before;
    std::size_t bytes;  ///< size including this header
  };

  char* room(std::size_t size) {
    if (size > static_cast<std::size_t>(end_ - at_)) add_block(size);
    char* const start = at_;
    at_ += size;
    return start;
  }
  void add_block(std::size_t size);
  void free_blocks() noexcept;

  char* at_ = first_.data();
  char* end_ = first_.data() + first_.size();
  Block* blocks_ = nullptr;      ///< the latest block
  std::array<char, 448> first_;  ///< large enough for a request without limits
};

}  // namespace headgate
