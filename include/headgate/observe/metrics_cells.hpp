#pragma once
// What the path counts in. A cell has one writer, so that counting is a load and a store and no locked instruction;
// whoever scrapes adds the writers' cells up.

#include "headgate/core/time.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headgate::observe {

/// Only ever grows. Written by one thread, read by any; made by a Registry and lives as long as that.
class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { count_.store(read() + n, std::memory_order_relaxed); }
  std::uint64_t read() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_{0};
};

/// A value that comes and goes. Any thread; the last to set it wins.
class Gauge {
 public:
  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  double read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

/// How often something took how long. Written by one thread, read by any: a reader may see the sum of a moment later
/// than the counts.
class Histogram {
 public:
  static constexpr std::size_t kMostBounds = 13;

  /// `bounds` rise, are at most kMostBounds, and outlive the histogram.
  explicit Histogram(std::span<const Duration> bounds) noexcept : bounds_(bounds) {}

  /// Falls into the first bucket whose bound is not below it, else into the one beyond them all.
  void record(Duration took) noexcept {
    std::size_t bucket = 0;
    while (bucket < bounds_.size() && took > bounds_[bucket]) ++bucket;
    counts_[bucket].add();
    sum_.add(took.count() > 0 ? static_cast<std::uint64_t>(took.count()) : 0);
  }

  std::span<const Duration> bounds() const noexcept { return bounds_; }
  std::uint64_t count(std::size_t bucket) const noexcept { return counts_[bucket].read(); }
  Duration sum() const noexcept { return Duration(static_cast<Duration::rep>(sum_.read())); }

 private:
  std::span<const Duration> bounds_;
  std::array<Counter, kMostBounds + 1> counts_;
  Counter sum_;  // microseconds
};

/// Counters found by a number and made at its first use, without a lock or an allocation: for labels that come with the
/// request, like its method and status. Bounded: what comes after kMost different numbers is counted together under
/// kRest. Written by one thread, read by any.
class CounterTable {
 public:
  using Key = std::uint32_t;
  static constexpr std::size_t kMost = 96;
  static constexpr Key kRest = 0;  ///< a number of nobody's

  void add(Key key, std::uint64_t n = 1) noexcept {
    for (std::size_t i = key * kGolden >> kShift;; ++i) {
      auto& slot = slots_[i % kSlots];
      const auto kept = slot.key.load(std::memory_order_relaxed);
      if (kept == key) return slot.count.add(n);
      if (kept != kRest) continue;
      if (used_ == kMost) return rest_.add(n);
      ++used_;
      slot.key.store(key, std::memory_order_relaxed);
      return slot.count.add(n);
    }
  }

  /// Calls visit(key, count) for all that were used.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& slot : slots_) {
      if (const auto key = slot.key.load(std::memory_order_relaxed); key != kRest) visit(key, slot.count.read());
    }
    if (const auto count = rest_.read(); count > 0) visit(kRest, count);
  }

 private:
  static constexpr std::size_t kSlots = 128;  // never full, so that every search ends
  static constexpr Key kGolden = 2654435769;  // 2^32 over the golden ratio: spreads numbers that differ little
  static constexpr int kShift = 25;
  struct Slot {
    std::atomic<Key> key{kRest};
    Counter count;
  };
  std::array<Slot, kSlots> slots_;
  Counter rest_;
  std::size_t used_ = 0;
};

}  // namespace headgate::observe
