#pragma once
// A histogram of latencies with few buckets: precise enough to compare servers, and cheap enough to count every answer.
// Used by ejection and recent_use.

#include "headgate/core/time.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace headgate::balance {

/// Number of buckets: four for each doubling, from 64 µs to two minutes, so that a value read from them is at most a
/// quarter too high.
inline constexpr std::size_t kLatencyBuckets = 86;

/// Returns the bucket of a latency. The first bucket includes all shorter and negative values, the last one all longer
/// values.
constexpr std::size_t latency_bucket(Duration took) noexcept {
  constexpr int kFirst = 6;  // 64 µs
  const auto us = static_cast<std::uint64_t>(std::max<Duration::rep>(took.count(), 0));
  if (us >> kFirst == 0) return 0;
  const auto power = static_cast<int>(std::bit_width(us)) - 1;
  const auto quarter = static_cast<std::size_t>(us >> (power - 2)) & 3U;
  return std::min(1 + static_cast<std::size_t>(power - kFirst) * 4 + quarter, kLatencyBuckets - 1);
}

/// Returns the upper bound of a bucket.
constexpr Duration latency_bound(std::size_t bucket) noexcept {
  if (bucket == 0) return Duration(64);
  const auto power = (bucket - 1) / 4 + 6;
  return Duration(static_cast<Duration::rep>(((bucket - 1) % 4 + 5) << (power - 2)));
}

/// The number of answers in each bucket. One thread.
class Latencies {
 public:
  void add(std::size_t bucket, std::uint32_t count) noexcept {
    counts_[bucket] += count;
    total_ += count;
  }
  void add(const Latencies& more) noexcept {
    if (more.total_ == 0) return;
    for (std::size_t i = 0; i < kLatencyBuckets; ++i) add(i, more.counts_[i]);
  }
  std::uint32_t total() const noexcept { return total_; }
  /// Returns a latency that `percent` of the answers do not exceed; 0 if there are none.
  Duration quantile(unsigned percent) const noexcept;
  /// Halves all numbers, so that old answers weigh less and less.
  void halve() noexcept;

 private:
  std::array<std::uint32_t, kLatencyBuckets> counts_{};
  std::uint32_t total_ = 0;
};

}  // namespace headgate::balance
