#pragma once
// The counters of one stripe: a hash table of fixed size that forgets what matters least when it is full. Used by
// MemoryStore.

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

/// One counter: a cache line.
struct alignas(64) Slot {
  Hash hash;
  Instant full_at = Instant::max();  ///< from then on the state is as if never used; note() sets it
  std::uint32_t algorithm = 0;       ///< whose state it is, as algorithm_mark() says; 0: nobody's yet
  std::uint16_t limit = 0;           ///< LimitNumbers::of its rule
  bool spent = false;                ///< nothing was left when it was last used; note() sets it
  State state;
};

/// Sets one algorithm apart from another in four bytes. All are constants of one program, which is not 4 GB long.
inline std::uint32_t algorithm_mark(const Algorithm& algorithm) noexcept {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&algorithm));
}

/// The counters lie side by side in the order in which they came, so that few of them take few pages, and which one
/// goes never crowds a part of the index: four bytes each, searched by linear probing. A look-up touches a slot only
/// where it very likely is the right one. All memory is reserved at once and touched as it fills: no rehash ever stops
/// the callers. Not thread-safe.
class KeyTable {
 public:
  explicit KeyTable(std::size_t bound);
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  /// Fetches what find(hash) reads first. The only function that needs no lock.
  void prefetch(const Hash& hash) const noexcept { __builtin_prefetch(index_.get() + home(hash)); }

  /// The counter of `hash`, or null. It stays where it is until an insert forgets it.
  Slot* find(const Hash& hash) noexcept;

  /// A fresh counter for `hash`, which find() does not know; note() must follow. At the bound another is forgotten
  /// first: one that is full at `now`; else one of a limit that has more than its share, the bound divided by the
  /// limits that have any; of those one that is not spent before one that is; and of those the one full again the
  /// soonest, which was used the least for its limit.
  ///
  /// That costs some cache lines, however many counters there are. What was used since it was last looked at is looked
  /// at anew, kMostLooks at a time: where most counters are used between two inserts, the choice may fall on one that
  /// was. It never falls on a spent one where another of its limit is known that is not. A limit may have some more
  /// than its share while nobody has looked at those.
  Slot& insert(const Hash& hash, std::uint16_t limit, Instant now);

  /// What a change of the slot's state has made of it.
  void note(Slot& slot, Instant full_at, bool spent) noexcept;

  /// Of one limit.
  struct Count {
    std::size_t tracked = 0;
    std::uint64_t evicted = 0;  ///< forgotten though not full
  };
  std::span<const Count> counts() const noexcept { return counts_; }  ///< by number of the limit
  std::size_t size() const noexcept { return size_; }
  std::uint64_t evicted() const noexcept { return evicted_; }  ///< forgotten though not full

  /// Most entries that closing one gap has looked at: with kMostLooks what bounds the slowest insert.
  std::size_t longest_walk() const noexcept { return longest_walk_; }

  static constexpr int kMostLooks = 64;
  static constexpr int kLooksAround = 4;
  static constexpr std::size_t kMostKeys = (std::size_t{1} << 25U) - 1;

 private:
  using Rank = RankTree::Rank;
  using Entry = std::uint32_t;  ///< 0: free; else seven bits of the hash, and the slot's number plus one

  std::size_t home(const Hash& hash) const noexcept {
    return static_cast<std::size_t>((UnsignedWide{hash.low} * capacity_) >> 64U);
  }
  std::size_t after(std::size_t at) const noexcept { return at + 1 == capacity_ ? 0 : at + 1; }
  Rank rank_of(const Slot& slot) const noexcept;
  void share() noexcept;
  void look_around() noexcept;
  std::size_t first(Instant now) const noexcept;
  std::size_t make_room(Instant now);
  void drop_entry(std::size_t number) noexcept;

  struct Freed {
    void operator()(Entry* index) const noexcept { std::free(index); }
  };

  std::size_t bound_;
  std::size_t capacity_;  ///< of the index
  std::unique_ptr<Entry[], Freed> index_;
  Slot* slots_;  ///< room for bound_, the first size_ constructed
  /// The highest is forgotten first. Whether a slot is spent is true of it; a slot may be full later than it says, for
  /// nothing is fetched to correct that before it matters.
  RankTree ranks_;
  std::vector<Count> counts_;
  std::size_t limits_ = 0;             ///< that have any
  std::size_t share_ = kMostKeys + 1;  ///< of each of them
  std::size_t hand_ = 0;               ///< the last that look_around() looked at
  std::size_t size_ = 0;
  std::size_t longest_walk_ = 0;
  std::uint64_t evicted_ = 0;
};

}  // namespace headgate::limit
