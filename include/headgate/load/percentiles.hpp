#pragma once
// A histogram of durations in bounded memory, with percentiles that are at most 1.6 % too high. Used by Crowd.

#include "headgate/core/time.hpp"

#include <cstdint>
#include <vector>

namespace headgate::load {

/// A counter of durations. Long durations are counted in wider ranges than short ones: there are 64 ranges for each
/// power of two, from 1 µs to a day. 16 KiB. One thread.
class Percentiles {
 public:
  Percentiles();
  /// Adds a duration. A negative one counts as 0, and one longer than a day as a day.
  void add(Duration took) noexcept;
  std::uint64_t count() const noexcept { return count_; }
  /// Returns the percentile of this share, from 0 to 1: a duration that this share of all durations does not exceed.
  /// Returns zero if no duration was added.
  Duration at(double share) const noexcept;
  /// Returns the exact maximum.
  Duration max() const noexcept { return max_; }
  Duration mean() const noexcept;
  void clear() noexcept;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;  // sum in microseconds
  Duration max_{0};
};

}  // namespace headgate::load
