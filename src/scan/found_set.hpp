#pragma once
// The results of a scan: one for each pointer.

#include "headgate/scan/scan.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headgate::scan {

/// The place of a value among the bytes of the documents.
struct Extent {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};

/// Results, filled for sets of pointers: pointer i is bit i.
class FoundSet {
 public:
  /// Forgets all results. Allocates if there are more pointers than before.
  void begin(const Pointers& pointers);
  /// Returns the pointers whose text is kept.
  std::uint64_t values() const noexcept { return values_; }

  /// `text` is the decoded text, or a beginning of it of at least kMaxText bytes; `length` its whole length. Without a
  /// place, `place` is {}.
  void text(std::uint64_t targets, std::string_view text, std::uint64_t length, Extent place) noexcept;
  void number(std::uint64_t targets, std::int64_t number, Extent place) noexcept;
  void boolean(std::uint64_t targets, bool truth) noexcept;
  void structure(std::uint64_t targets) noexcept;
  void null(std::uint64_t targets, Extent place) noexcept;
  void repeated(std::uint64_t targets) noexcept;

  const Found& found(std::size_t index) const noexcept;

 private:
  struct Slot {
    Found found;
    std::array<char, kMaxText> text;
  };
  std::vector<Slot> slots_;
  std::uint64_t values_ = 0;
};

}  // namespace headgate::scan
