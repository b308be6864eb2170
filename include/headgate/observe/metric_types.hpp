#pragma once
// Counters, gauges and histograms. Each counter has one writer, so counting is a load and a store without a locked
// instruction. A scrape adds up the counters of all writers.

#include "headgate/core/time.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headgate::observe {

/// A counter that only grows. One thread writes it, any thread reads it. A Registry makes it, and it lives as long as
/// the Registry.
class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { count_.store(read() + n, std::memory_order_relaxed); }
  std::uint64_t read() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_{0};
};

/// A value that can rise and fall. Any thread; the last set() wins.
class Gauge {
 public:
  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  double read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

/// A number that one writer raises and lowers. Any thread reads it. A scrape adds up the levels of all writers.
class Level {
 public:
  void add(std::int64_t more) noexcept { level_.store(read() + more, std::memory_order_relaxed); }
  std::int64_t read() const noexcept { return level_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> level_{0};
};

/// A histogram of durations. One thread writes it, any thread reads it. A reader may see a sum that is newer than the
/// counts.
class Histogram {
 public:
  static constexpr std::size_t kMaxBounds = 13;

  /// `bounds` are in ascending order and at most kMaxBounds; they must outlive the histogram.
  explicit Histogram(std::span<const Duration> bounds) noexcept : bounds_(bounds) {
    // A duration of 0 has width 1, like a duration of 1.
    std::transform(bounds.begin(), bounds.end(), most_.begin(),
                   [](Duration bound) { return static_cast<std::uint64_t>(bound.count()); });
    most_[bounds.size()] = UINT64_MAX;
    for (std::size_t width = 2; width < kWidths; ++width)
      while (most_[first_[width]] < std::uint64_t{1} << (width - 1)) ++first_[width];
  }

  /// Counts into the first bucket with a bound of at least `took`, or into the last bucket.
  void record(Duration took) noexcept {
    const auto microseconds = counted(took);
    counts_[bucket_of(microseconds)].add();
    sum_.add(microseconds);
  }
  std::size_t bucket_of(Duration took) const noexcept { return bucket_of(counted(took)); }

  std::span<const Duration> bounds() const noexcept { return bounds_; }
  std::uint64_t count(std::size_t bucket) const noexcept { return counts_[bucket].read(); }
  Duration sum() const noexcept { return Duration(static_cast<Duration::rep>(sum_.read())); }

 private:
  static constexpr std::size_t kWidths = 65;

  static std::uint64_t counted(Duration took) noexcept {
    return static_cast<std::uint64_t>(std::max<Duration::rep>(took.count(), 0));
  }
  std::size_t bucket_of(std::uint64_t microseconds) const noexcept {
    std::size_t bucket = first_[static_cast<std::size_t>(std::bit_width(microseconds | 1U))];
    while (microseconds > most_[bucket]) ++bucket;
    return bucket;
  }

  std::span<const Duration> bounds_;
  /// Index of the first bound that may be large enough, by the binary width of the duration. Searches begin there
  /// instead of at the first bucket.
  std::array<std::uint8_t, kWidths> first_{};
  std::array<std::uint64_t, kMaxBounds + 1> most_{};  ///< the bounds, then a sentinel that ends each search
  std::array<Counter, kMaxBounds + 1> counts_;
  Counter sum_;  // sum in microseconds
};

/// Counters with numbers as keys, for labels that come from the request, like its method and status. The first use of a
/// key makes its counter, without a lock or an allocation. After `most` different keys, all others count together under
/// kRest. One thread writes it, any thread reads it.
template <std::size_t slots, std::size_t most>
class TableOfCounters {
 public:
  using Key = std::uint32_t;
  static constexpr std::size_t kMax = most;
  /// key that stands for all keys without a counter of their own; must not be used for anything else
  static constexpr Key kRest = 0;

  void add(Key key, std::uint64_t n = 1) noexcept {
    for (std::size_t i = key * kGolden >> kShift;; ++i) {
      auto& slot = slots_[i % slots];
      const auto kept = slot.key.load(std::memory_order_relaxed);
      if (kept == key) return slot.count.add(n);
      if (kept != kRest) continue;
      if (used_ == kMax) return rest_.add(n);
      ++used_;
      slot.key.store(key, std::memory_order_relaxed);
      return slot.count.add(n);
    }
  }

  /// Calls visit(key, count) for each key in use.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& slot : slots_) {
      if (const auto key = slot.key.load(std::memory_order_relaxed); key != kRest) visit(key, slot.count.read());
    }
    if (const auto count = rest_.read(); count > 0) visit(kRest, count);
  }

 private:
  static_assert(std::has_single_bit(slots) && most < slots, "every search must end at an empty slot");
  static constexpr Key kGolden = 2654435769;  // 2^32 divided by the golden ratio; spreads adjacent keys
  static constexpr int kShift = 32 - std::countr_zero(slots);
  struct Slot {
    std::atomic<Key> key{kRest};
    Counter count;
  };
  std::array<Slot, slots> slots_;
  Counter rest_;
  std::size_t used_ = 0;
};

/// A table for the methods and statuses of a route.
using CounterTable = TableOfCounters<128, 96>;
/// A table for the statuses of one server.
using CodeTable = TableOfCounters<32, 24>;

}  // namespace headgate::observe
