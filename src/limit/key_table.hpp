#pragma once
// The counters of one stripe: a hash table of fixed size. When it is full, it evicts the least important counter. Used
// by MemoryStore.

#include "rank_tree.hpp"
#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace headgate::limit {

/// A counter, in one cache line.
struct alignas(64) CounterSlot {
  Hash hash;
  Instant full_at = Instant::max();  ///< moment from which the state equals an unused one; set by note()
  std::uint32_t algorithm = 0;       ///< algorithm_mark() of the state's algorithm; 0 if there is no state yet
  std::uint16_t limit = 0;           ///< LimitNumbers::of the rule
  bool spent = false;                ///< nothing was left at its last use; set by note()
  bool first : 1 = true;             ///< the counter represents its key in the number of keys
  /// the counter marks that an action was taken, so that it is not taken twice; forget() keeps the counter
  bool mark : 1 = false;
  State state;
};

/// Returns four bytes that identify an algorithm: the lower half of its address. All algorithms are constants of one
/// program, which is shorter than 4 GB.
inline std::uint32_t algorithm_mark(const Algorithm& algorithm) noexcept {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&algorithm));
}

/// The table. The slots are stored in the order of insertion, so that few counters use few pages. The index has four
/// bytes for each counter and uses linear probing; evictions leave no deleted entries in it. A look-up reads a slot
/// only if it is very likely the right one. All memory is reserved at once and touched only when it is filled, so no
/// rehash ever blocks requests. Not thread-safe.
class KeyTable {
 public:
  explicit KeyTable(std::size_t bound);
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  /// Prefetches the index entry that find(hash) reads first. This is the only function that needs no lock.
  void prefetch(const Hash& hash) const noexcept { __builtin_prefetch(index_.get() + home(hash)); }

  /// Returns the slot that most likely has the counter of `hash`, without a check; null if there is no such counter.
  const CounterSlot* place_of(const Hash& hash) const noexcept;

  /// Returns the counter of `hash`, or null. It keeps its address until an insert evicts it.
  CounterSlot* find(const Hash& hash) noexcept;

  /// Inserts a counter for `hash`, which must not have one yet; call note() afterwards. At the bound, another counter
  /// is
  /// evicted:
  ///  1. one that is full at `now`;
  ///  2. one of a limit with more than its share; the share is the bound divided by the number of limits with counters;
  ///  3. one that is not spent before one that is;
  ///  4. the one that is full again soonest, because it was used least for its limit.
  ///
  /// This costs a few cache lines, however many counters there are. Ranks may be out of date: an insert corrects at
  /// most kMaxLooks of them. If most counters are used between two inserts, an insert may evict a counter that was
  /// used. An insert never evicts a spent counter if it knows one of the same limit that is not spent. A limit may hold
  /// a few more than its share until its counters are checked.
  ///
  /// `first` says whether this counter represents its key in the number of keys.
  CounterSlot& insert(const Hash& hash, std::uint16_t limit, Instant now, bool first = true);

  /// Returns all counters, in no order. A counter keeps its place until it is evicted; another counter then gets the
  /// place.
  std::span<const CounterSlot> slots() const noexcept { return {slots_, size_}; }

  /// Resets the counters of a limit among `count` slots from `from` on. Returns the number of their keys.
  std::size_t forget(std::uint16_t limit, std::size_t from, std::size_t count);

  /// Updates the rank of the slot after a change of its state.
  void note(CounterSlot& slot, Instant full_at, bool spent) noexcept;

  /// The counters of one limit.
  struct Count {
    std::size_t tracked = 0;
    std::size_t keys = 0;       ///< number of counters with CounterSlot::first
    std::uint64_t evicted = 0;  ///< number of counters that were evicted before they were full
  };
  std::span<const Count> counts() const noexcept { return counts_; }  ///< indexed by the limit's number
  std::size_t size() const noexcept { return size_; }
  std::uint64_t evicted() const noexcept { return evicted_; }  ///< number of counters evicted before they were full

  /// Returns the maximum number of index entries that were read to close one gap. Together with kMaxLooks, it bounds
  /// the time of the slowest insert.
  std::size_t longest_walk() const noexcept { return longest_walk_; }

  static constexpr int kMaxLooks = 64;
  static constexpr int kLooksAround = 4;
  static constexpr std::size_t kMaxKeys = (std::size_t{1} << 25U) - 1;

 private:
  using Rank = RankTree::Rank;
  using Entry = std::uint32_t;  ///< 0 if free; otherwise seven bits of the hash, and the slot's number plus one

  std::size_t home(const Hash& hash) const noexcept {
    return static_cast<std::size_t>((UnsignedWide{hash.low} * capacity_) >> 64U);
  }
  std::size_t after(std::size_t at) const noexcept { return at + 1 == capacity_ ? 0 : at + 1; }
  Rank rank_of(const CounterSlot& slot) const noexcept;
  void share() noexcept;
  void look_around() noexcept;
  std::size_t first(Instant now) const noexcept;
  std::size_t make_room(Instant now);
  void drop_entry(std::size_t number) noexcept;

  struct Freed {
    void operator()(Entry* index) const noexcept { std::free(index); }
  };

  std::size_t bound_;
  std::size_t capacity_;  ///< size of the index
  std::unique_ptr<Entry[], Freed> index_;
  CounterSlot* slots_;  ///< room for bound_ slots, of which the first size_ are constructed
  /// The slot with the highest rank is evicted first. The bit for spent is always right. The time may be out of date: a
  /// slot may be full later than its rank says, because a rank is corrected only when its slot could be evicted.
  RankTree ranks_;
  std::vector<Count> counts_;
  std::size_t limits_ = 0;            ///< number of limits with at least one counter
  std::size_t share_ = kMaxKeys + 1;  ///< maximum number of counters for each limit
  std::size_t hand_ = 0;              ///< the last slot that look_around() has read
  std::size_t size_ = 0;
  std::size_t longest_walk_ = 0;
  std::uint64_t evicted_ = 0;
};

}  // namespace headgate::limit
