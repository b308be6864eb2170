#pragma once
// Text put together where there is room for all of it: heads, answers of our own, log lines.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace headgate {

/// Writes one piece behind another and looks at no bound: its user has made room for all that may come.
class TextCursor {
 public:
  static constexpr std::size_t kMaxDigits = 20;  ///< of a number, its sign included

  explicit TextCursor(char* at) noexcept : at_(at) {}

  char* at() const noexcept { return at_; }
  void at(char* at) noexcept { at_ = at; }

  void character(char c) noexcept { *at_++ = c; }

  /// A literal, whose length the compiler knows.
  template <std::size_t size>
  void word(const char (&literal)[size]) noexcept {
    std::memcpy(at_, literal, size - 1);
    at_ += size - 1;
  }

  /// Most are short: two overlapping moves and no call.
  void text(std::string_view text) noexcept {
    const auto size = text.size();
    if (size > 32)
      std::memcpy(at_, text.data(), size);
    else if (size > 16)
      move_ends<Sixteen>(text);
    else if (size >= 8)
      move_ends<std::uint64_t>(text);
    else if (size >= 4)
      move_ends<std::uint32_t>(text);
    else
      for (std::size_t i = 0; i < size; ++i) at_[i] = text[i];
    at_ += size;
  }

  template <class Integer>
  void number(Integer number) noexcept {
    if (number >= 0 && number < 10) return character(static_cast<char>('0' + static_cast<int>(number)));
    at_ = std::to_chars(at_, at_ + kMaxDigits, number).ptr;
  }

  /// In so many digits, the first of them zeros maybe.
  template <std::size_t width>
  void digits(std::uint64_t number) noexcept {
    for (std::size_t i = width; i > 0; --i) {
      at_[i - 1] = static_cast<char>('0' + number % 10);
      number /= 10;
    }
    at_ += width;
  }

 private:
  struct Sixteen {
    std::uint64_t first, second;
  };

  template <class Word>
  void move_ends(std::string_view text) noexcept {
    Word first, last;
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
    std::memcpy(at_, &first, sizeof first);
    std::memcpy(at_ + text.size() - sizeof last, &last, sizeof last);
  }

  char* at_;
};

/// Appends to `out` what write(cursor) writes, which is at most `most` bytes.
template <class Write>
void append_text(std::string& out, std::size_t most, Write&& write) {
  const auto before = out.size();
  out.resize(before + most);
  TextCursor cursor(out.data() + before);
  write(cursor);
  out.resize(static_cast<std::size_t>(cursor.at() - out.data()));
}

}  // namespace headgate
