#pragma once
// Writes text into memory that is large enough for all of it: heads, the gateway's own answers, log lines. Used by
// observe, identity and the other text classes.

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace headgate {

namespace detail {

inline constexpr auto kTwoDigits = [] {
  std::array<std::array<char, 2>, 100> out{};
  for (unsigned i = 0; i < out.size(); ++i) out[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
  return out;
}();

inline constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 20> out{};
  std::uint64_t power = 1;
  for (auto& each : out) {
    each = power;
    power *= 10;
  }
  return out;
}();

/// 1233 / 4096 is about log10(2), so the number of bits gives the number of digits, or one less; a comparison with a
/// power of ten tells which of the two is right. 0 is treated as 1, because both have one digit.
constexpr std::size_t digits_of(std::uint64_t number) noexcept {
  number |= 1;
  const auto about = static_cast<std::size_t>(std::bit_width(number)) * 1233 >> 12;
  return about + (number >= kPowersOfTen[about] ? 1 : 0);
}

}  // namespace detail

/// A cursor that writes one piece after another. The user must have reserved enough memory, so only a debug build
/// checks for the end and stops there.
class TextCursor {
 public:
  static constexpr std::size_t kMaxDigits = 20;  ///< maximum length of a number, including its sign

  /// Writes at most `room` bytes from `at` on.
#ifdef NDEBUG
  TextCursor(char* at, std::size_t) noexcept : at_(at) {}
#else
  TextCursor(char* at, std::size_t room) noexcept : at_(at), end_(at + room) {}
#endif

  char* at() const noexcept { return at_; }

  void character(char c) noexcept {
    expect(1);
    *at_++ = c;
  }

  /// Writes a literal, whose length the compiler knows.
  template <std::size_t size>
  void word(const char (&literal)[size]) noexcept {
    expect(size - 1);
    std::memcpy(at_, literal, size - 1);
    at_ += size - 1;
  }
  template <std::size_t size>
  void word(const std::array<char, size>& made) noexcept {
    expect(size);
    std::memcpy(at_, made.data(), size);
    at_ += size;
  }

  /// Writes a text. Most texts are short, and two overlapping moves write such a text without a call.
  void text(std::string_view text) noexcept {
    const auto size = text.size();
    expect(size);
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
    if (number >= 0) return natural(static_cast<std::uint64_t>(number));
    character('-');
    natural(0 - static_cast<std::uint64_t>(number));
  }

  /// Writes a number with exactly `width` digits, padded with zeros.
  template <std::size_t width>
  void digits(std::uint64_t number) noexcept {
    expect(width);
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

  /// Writes two digits at a time, starting with the last ones.
  void natural(std::uint64_t number) noexcept {
    expect(detail::digits_of(number));
    at_ += detail::digits_of(number);
    char* at = at_;
    for (; number >= 100; number /= 100) std::memcpy(at -= 2, detail::kTwoDigits[number % 100].data(), 2);
    if (number >= 10)
      std::memcpy(at - 2, detail::kTwoDigits[number].data(), 2);
    else
      at[-1] = static_cast<char>('0' + number);
  }

  template <class Word>
  void move_ends(std::string_view text) noexcept {
    Word first, last;
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
    std::memcpy(at_, &first, sizeof first);
    std::memcpy(at_ + text.size() - sizeof last, &last, sizeof last);
  }

  char* at_;
#ifdef NDEBUG
  void expect(std::size_t) const noexcept {}
#else
  void expect(std::size_t size) const noexcept { assert(size <= static_cast<std::size_t>(end_ - at_)); }
  char* end_;
#endif
};

/// Appends to `out` the text that write(cursor) writes, of at most `most` bytes.
template <class Write>
void append_text(std::string& out, std::size_t most, Write&& write) {
  const auto before = out.size();
  out.resize(before + most);
  TextCursor cursor(out.data() + before, most);
  write(cursor);
  out.resize(static_cast<std::size_t>(cursor.at() - out.data()));
}

}  // namespace headgate
