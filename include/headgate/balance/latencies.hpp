#pragma once
// Latencies in a few buckets: enough to compare servers, and cheap enough to count every answer.

#include "headgate/core/time.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace headgate::balance {

/// Four buckets for each doubling, from 64 µs to two minutes: what is read from them is at most a quarter too high.
inline constexpr std::size_t kLatencyBuckets = 86;

/// The bucket of a latency. Negative ones are in the first, longer ones in the last.
constexpr std::size_t latency_bucket(Duration took) noexcept {
  constexpr int kFirst = 6;  // 64 µs
  const auto us = static_cast<std::uint64_t>(std::max<Duration::rep>(took.count(), 0));
  if (us >> kFirst == 0) return 0;
  const auto power = static_cast<int>(std::bit_width(us)) - 1;
  const auto quarter = static_cast<std::size_t>(us >> (power - 2)) & 3U;
  return std::min(1 + static_cast<std::size_t>(power - kFirst) * 4 + quarter, kLatencyBuckets - 1);
}

/// The upper end of a bucket.
constexpr Duration latency_bound(std::size_t bucket) noexcept {
  if (bucket == 0) return Duration(64);
  const auto power = (bucket - 1) / 4 + 6;
  return Duration(static_cast<Duration::rep>(((bucket - 1) % 4 + 5) << (power - 2)));
}

/// How many answers were in each bucket. One thread.
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
  /// What `percent` of the latencies do not exceed; 0 if there are none.
  Duration quantile(unsigned percent) const noexcept;
  /// Forgets half of them, so that old ones weigh less and less.
  void halve() noexcept;

 private:
  std::array<std::uint32_t, kLatencyBuckets> counts_{};
  std::uint32_t total_ = 0;
};

}  // namespace headgate::balance
