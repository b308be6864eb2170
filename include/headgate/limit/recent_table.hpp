#pragma once
// A hash table of fixed size for recent observations about keys. A new entry replaces the least valuable of a few. Used
// by KnownRejections, Leases and gateway.

#include "headgate/core/hash.hpp"

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace headgate::limit {

/// A moment of the monotonic clock, because an entry must not live longer when the wall clock is set back.
using Moment = std::chrono::steady_clock::time_point;

/// The table: sets of four entries, found by the hash, so that a look-up or insert costs the same however full the
/// table is. `Entry` is plain data with a member `hash`. Memory pages are touched as the table fills. Not thread-safe.
template <class Entry>
class RecentTable {
  static_assert(std::is_trivially_copyable_v<Entry> && std::is_trivially_destructible_v<Entry>);

 public:
  /// `bound` is rounded up to a power of two.
  explicit RecentTable(std::size_t bound)
      : sets_(std::bit_ceil(bound < kWays ? kWays : bound) / kWays),
        marks_(sets_ * kWays, 0),
        entries_(std::allocator<Entry>().allocate(marks_.size())) {}
  ~RecentTable() { std::allocator<Entry>().deallocate(entries_, marks_.size()); }
  RecentTable(const RecentTable&) = delete;
  RecentTable& operator=(const RecentTable&) = delete;

  /// Returns the entry, or null. An entry keeps its address until it is erased or replaced.
  Entry* find(const Hash& hash) const noexcept {
    const std::size_t set = set_of(hash);
    const std::uint8_t mark = mark_of(hash);
    for (std::size_t at = set; at < set + kWays; ++at)
      if (marks_[at] == mark && entries_[at].hash == hash) return entries_ + at;
    return nullptr;
  }

  /// Inserts an entry for `hash`, for which the table must have none. If the set of `hash` is full, the new entry
  /// replaces the worst of the set; `better(a, b)` returns whether `a` is worth more than `b`. Entries for which
  /// `keeps` returns true are never replaced. Returns null if it returns true for the whole set.
  template <class Better, class Keeps>
  Entry* insert(const Hash& hash, Better better, Keeps keeps) noexcept {
    const std::size_t set = set_of(hash);
    std::size_t worst = marks_.size();
    for (std::size_t at = set; at < set + kWays; ++at) {
      if (marks_[at] == 0) {
        ++size_;
        return fill(at, hash);
      }
      if (keeps(entries_[at])) continue;
      if (worst == marks_.size() || better(entries_[worst], entries_[at])) worst = at;
    }
    return worst == marks_.size() ? nullptr : fill(worst, hash);
  }

  void erase(const Entry& entry) noexcept {
    marks_[static_cast<std::size_t>(&entry - entries_)] = 0;
    --size_;
  }

  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t kWays = 4;
  static constexpr std::uint8_t kTaken = 0x80;

  std::size_t set_of(const Hash& hash) const noexcept { return (hash.low & (sets_ - 1)) * kWays; }
  static std::uint8_t mark_of(const Hash& hash) noexcept {
    return static_cast<std::uint8_t>(kTaken | (hash.high & 0x7f));
  }
  Entry* fill(std::size_t at, const Hash& hash) noexcept {
    marks_[at] = mark_of(hash);
    Entry* const entry = std::construct_at(entries_ + at);
    entry->hash = hash;
    return entry;
  }

  std::size_t sets_;
  /// mark of each place: 0 if it is free, otherwise kTaken and seven bits of the hash
  std::vector<std::uint8_t> marks_;
  Entry* entries_;  ///< an entry is constructed only if its byte in marks_ is not 0
  std::size_t size_ = 0;
};

}  // namespace headgate::limit
