#pragma once
// Parses the times of a log. Most of them are in the same second as the time before, so the last second is cached.

#include "headgate/core/time.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::access_logs {

/// The parser. One thread.
class MomentReader {
 public:
  /// Does the same as parse_moment() (headgate/access_logs/moment.hpp).
  std::optional<Instant> read(std::string_view text) noexcept;
  /// Returns whether the last time had a fraction of a second.
  bool fraction() const noexcept { return fraction_; }

 private:
  std::optional<Instant> parse(std::string_view text) noexcept;
  std::optional<Instant> calendar(std::string_view text, std::size_t size,
                                  std::optional<std::int64_t> (*seconds)(std::string_view)) noexcept;

  std::array<char, 40> text_{};  ///< the last text
  std::size_t size_ = 0;
  Instant moment_{};
  bool fraction_ = false;
  std::array<char, 24> second_text_{};  ///< the text of the last calculated second
  std::size_t second_size_ = 0;
  std::int64_t second_ = 0;
};

}  // namespace headgate::access_logs
