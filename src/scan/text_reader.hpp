#pragma once
// Strings of JSON, in pieces: checks them, decodes those that are kept, and tells blocks from text.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::scan {

/// Reads one string after the other, from behind the opening quote to behind the closing one.
class TextReader {
 public:
  enum class Status : std::uint8_t { open, ended, malformed };

  /// Begins a string. `keep` says that view() will be needed.
  void begin(bool keep) noexcept;
  /// Takes the bytes that continue the string, and returns the first one behind it. Sets status().
  const char* read(const char* at, const char* end) noexcept;
  Status status() const noexcept { return status_; }

  /// Returns the decoded string once it has ended, or a beginning of at least kMaxText bytes, if it was kept. Valid
  /// until the next read(), and as long as the piece.
  std::string_view view() const noexcept { return view_; }
  /// Returns the length of the decoded string.
  std::uint64_t length() const noexcept { return length_; }
  /// Returns whether the string is ASCII and was written without escapes.
  bool plain() const noexcept { return plain_; }
  /// Returns whether the string is a block (Scan::blocks()).
  bool block() const noexcept;

 private:
  enum class Next : std::uint8_t { any, escape, hex, low_escape, low_u };
  /// The class of the string, as far as it is known.
  enum class Class : std::uint8_t { base64, header, padding, text };

  const char* read_run(const char* at, const char* end) noexcept;
  const char* read_character(const char* at, const char* end) noexcept;
  const char* skip_block(const char* at, const char* end) noexcept;
  const char* skip_text(const char* at, const char* end) noexcept;
  const char* end_text(const char* quote) noexcept;
  void read_inside(char c) noexcept;
  void read_escape(char c) noexcept;
  void read_hex(char c) noexcept;
  void end_hex() noexcept;
  void put(std::uint32_t point) noexcept;
  void append(const char* at, const char* end) noexcept;
  void classify(char c) noexcept;
  void fail() noexcept { status_ = Status::malformed; }

  // The kept text is slightly longer than the shown text, so that a character that was cut is noticed.
  std::array<char, 260> kept_;
  std::string_view view_;
  std::uint64_t length_ = 0;
  std::uint32_t front_ = 0;  ///< the first four bytes
  std::uint32_t kept_size_ = 0;
  std::uint32_t code_ = 0;    ///< the digits of an escape so far
  std::uint32_t high_ = 0;    ///< a high surrogate that waits for its low one; 0 if there is none
  std::uint16_t header_ = 0;  ///< length of the header of a `data:` URL so far
  std::uint8_t hex_digits_ = 0;
  std::uint8_t left_ = 0;   ///< bytes of a character that are still to come
  std::uint8_t least_ = 0;  ///< range of the next of them
  std::uint8_t most_ = 0;
  Next next_ = Next::any;
  Class class_ = Class::base64;
  Status status_ = Status::open;
  bool keep_ = false;
  bool plain_ = true;
  bool data_url_ = false;
};

}  // namespace headgate::scan
