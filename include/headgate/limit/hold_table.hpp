#pragma once
// The permits that calls under way hold until their cost is known. Used by gateway, to tell a caller whose budget is
// spent from one whose budget is held by its own calls.

#include "headgate/limit/limit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace headgate::limit {

/// The permits that calls of this process hold, by counter, and how long calls usually hold permits, by rule. One per
/// process; any thread; each function takes a short lock. The table is bounded: holds of further counters are not
/// recorded, and count as none. It does not know the calls of other gateways.
class HoldTable {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kMaxCounters = 65'536;

  explicit HoldTable(std::size_t bound = kMaxCounters);
  ~HoldTable();

  /// Records that a call holds `permits` (above 0) of the counter with this hash. At `until`, the counter has them back
  /// even if the call is still under way, for example because its window ends. Returns false if the table is full.
  bool add(const Hash& counter, std::int64_t permits, Moment until);
  /// Records that the call holds them no longer.
  void remove(const Hash& counter, std::int64_t permits, Moment until) noexcept;
  /// Returns the permits that calls under way hold of this counter. Each hold counts up to a tenth of a second too
  /// long.
  std::int64_t held(const Hash& counter, Moment now) const noexcept;

  /// Records how long a call held permits of the rule with this seed (Rule::seed).
  void lasted(std::uint64_t seed, Duration time);
  /// Returns a running mean of these times; 0 if no call of the rule has ended yet.
  Duration usual(std::uint64_t seed) const noexcept;

 private:
  struct State;
  std::size_t bound_;  // of each stripe
  std::unique_ptr<State> state_;
};

/// The permits of one counter that one call holds. They count as held until their time is over or the object is
/// destroyed. One thread; the
/// table must outlive it.
class HeldPermits {
 public:
  HeldPermits(HoldTable& table, const Check& check, HoldTable::Moment until)
      : table_(table.add(check.hash, check.cost, until) ? &table : nullptr),
        counter_(check.hash),
        permits_(check.cost),
        counted_(check.cost),
        until_(until) {}
  HeldPermits(HeldPermits&& other) noexcept
      : table_(std::exchange(other.table_, nullptr)),
        counter_(other.counter_),
        permits_(other.permits_),
        counted_(other.counted_),
        until_(other.until_) {}
  HeldPermits& operator=(HeldPermits&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(counter_, other.counter_);
    std::swap(permits_, other.permits_);
    std::swap(counted_, other.counted_);
    std::swap(until_, other.until_);
    return *this;
  }
  ~HeldPermits() {
    if (table_ != nullptr) table_->remove(counter_, counted_, until_);
  }
  bool operator==(const HeldPermits&) const = default;

  const Hash& counter() const noexcept { return counter_; }
  /// Returns all permits that the call has taken.
  std::int64_t permits() const noexcept { return permits_; }
  /// Records that the call has taken so many more (above 0), which it holds until `until`.
  void add(std::int64_t more, HoldTable::Moment now, HoldTable::Moment until);

 private:
  HoldTable* table_;
  Hash counter_;
  std::int64_t permits_;
  std::int64_t counted_;  ///< those of them that are in the table
  HoldTable::Moment until_;
};

}  // namespace headgate::limit
