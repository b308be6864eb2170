#pragma once
// Texts made while a request is served and needed until it ends: one after another in one buffer, never moved.

#include <array>
#include <charconv>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headgate {

/// A bump allocator for text. Views stay valid until clear(). What does not fit any more goes to the heap.
class TextArena {
 public:
  /// The pieces, joined.
  std::string_view join(std::initializer_list<std::string_view> pieces) {
    std::size_t size = 0;
    for (const auto& piece : pieces) size += piece.size();
    char* const start = room(size);
    char* at = start;
    for (const auto& piece : pieces) {
      if (!piece.empty()) std::memcpy(at, piece.data(), piece.size());
      at += piece.size();
    }
    return {start, size};
  }

  /// `text` with the pieces behind it. What was made last grows where it lies, so that a list made piece by piece takes
  /// its room once; `text` itself is of no use any more.
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
    char digits[24];
    const auto* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return join({std::string_view(digits, static_cast<std::size_t>(end - digits))});
  }

  void clear() noexcept {
    used_ = 0;
    overflow_.clear();
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
