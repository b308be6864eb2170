#pragma once
// Documents of JSON, in pieces, one after the other.

#include "decimal.hpp"
#include "found_set.hpp"
#include "text_reader.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace headgate::scan {

/// Reads documents and reports the values at pointers.
class JsonScanner {
 public:
  /// Starts a new body. Both arguments must outlive the reading of it.
  void begin(const Pointers& pointers, FoundSet& found) noexcept;
  /// Starts a new document of the body.
  void begin_document() noexcept;
  /// Takes the next piece of the document.
  void feed(std::string_view piece) noexcept;
  /// Says that the document is complete. One that consists of blanks is malformed unless `may_be_blank`.
  void end_document(bool may_be_blank) noexcept;

  /// The results of Scan.
  bool malformed() const noexcept { return malformed_; }
  std::uint64_t documents() const noexcept { return documents_; }
  std::uint64_t text_bytes() const noexcept { return text_bytes_; }
  std::uint64_t blocks() const noexcept { return blocks_; }
  std::uint64_t elements() const noexcept { return elements_; }

 private:
  enum class At : std::uint8_t {
    value,
    first_element,  ///< a value or "]"
    first_name,     ///< a name or "}"
    name,
    colon,
    next,  ///< "," or the closing bracket
    done,
    text,
    number,
    word,
    bad,
  };
  /// An object or array in which pointers go on.
  struct Open {
    std::uint64_t alive = 0;  ///< the pointers that lead into it
    std::uint64_t seen = 0;   ///< those of them whose member has occurred
    std::int64_t element = 0;
  };

  const char* read_structure(const char* at, const char* end) noexcept;
  const char* begin_value(const char* at, const char* end) noexcept;
  const char* begin_number(const char* at, const char* end) noexcept;
  template <std::size_t kSize>
  const char* begin_word(const char* at, const char* end, const char (&word)[kSize]) noexcept;
  const char* begin_name(const char* at, const char* end) noexcept;
  const char* begin_text(const char* at, const char* end, bool name) noexcept;
  const char* read_text(const char* at, const char* end) noexcept;
  const char* read_number(const char* at, const char* end) noexcept;
  const char* read_word(const char* at, const char* end) noexcept;
  void begin_element() noexcept;
  void open(bool array) noexcept;
  void close(bool array) noexcept;
  void end_name(std::string_view name, bool plain) noexcept;
  void end_text(std::string_view text, std::uint64_t length, bool block, const char* end) noexcept;
  void end_number(std::uint64_t end) noexcept;
  void end_word() noexcept;
  void end_value() noexcept;
  void fail() noexcept;
  /// Returns the number of bytes before this one, which is in the current piece.
  std::uint64_t place_of(const char* at) const noexcept { return before_ + static_cast<std::uint64_t>(at - piece_); }

  const Pointers* pointers_ = nullptr;
  FoundSet* found_ = nullptr;
  TextReader text_;
  Decimal number_;
  std::string_view word_;  ///< "true", "false" or "null"
  std::size_t word_read_ = 0;
  std::uint64_t live_ = 0;     ///< the pointers that lead to the next value, or into it
  std::uint64_t targets_ = 0;  ///< the pointers that mean the current value
  std::uint64_t alive_ = 0;    ///< those of the innermost object or array
  std::size_t depth_ = 0;
  At at_ = At::value;
  bool array_ = false;  ///< the innermost one is an array
  bool text_is_name_ = false;
  bool malformed_ = false;
  std::uint64_t documents_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t elements_ = 0;
  const char* piece_ = nullptr;
  std::uint64_t before_ = 0;                            ///< number of bytes before the current piece
  std::uint64_t value_at_ = 0;                          ///< place of the current value, except structures
  std::array<Open, kMaxSteps + 1> open_;                ///< by depth; only where a pointer is alive
  std::array<std::uint64_t, kMaxDepth / 64> arrays_{};  ///< bit d: the container of depth d + 1 is an array
};

}  // namespace headgate::scan
