#pragma once
// Forms (application/x-www-form-urlencoded, WHATWG URL section 5), in pieces.

#include "found_set.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace headgate::scan {

/// Reads the fields of a form and reports the values of those that pointers name.
class FormReader {
 public:
  /// Both arguments must outlive the reading of the form.
  void begin(const Pointers& pointers, FoundSet& found) noexcept;
  void feed(std::string_view piece) noexcept;
  void end() noexcept;

  /// The results of Scan.
  bool malformed() const noexcept { return malformed_; }
  std::uint64_t documents() const noexcept { return documents_; }
  std::uint64_t text_bytes() const noexcept { return text_bytes_; }

 private:
  void decode(char c) noexcept;
  void put(char c) noexcept;
  const char* skip(const char* at, const char* end) noexcept;
  void end_name() noexcept;
  void end_field() noexcept;

  const Pointers* pointers_ = nullptr;
  FoundSet* found_ = nullptr;
  std::array<char, 260> kept_;  // a bit longer than what is shown, so that a cut character is seen
  std::uint32_t kept_size_ = 0;
  std::uint64_t length_ = 0;   ///< decoded bytes of the value so far
  std::uint64_t targets_ = 0;  ///< the pointers that name the field
  std::uint64_t seen_ = 0;
  std::uint64_t documents_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint8_t escape_ = 0;  ///< bytes of an escape that are still to come
  std::uint8_t code_ = 0;
  bool in_value_ = false;
  bool begun_ = false;  ///< the field has a byte
  bool malformed_ = false;
};

}  // namespace headgate::scan
