#pragma once
// The counters of one stripe: a hash table of fixed size that forgets what matters least when it is full. Used by
// MemoryStore.

#include "headgate/limit/algorithm.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headgate::limit {

/// One counter: a cache line.
struct Slot {
  Hash hash;
  Instant full_at;  ///< from then on the state is as if never used
  const Algorithm* algorithm = nullptr;
  State state;
};

/// Linear probing over one byte a slot, so that a look-up touches a slot only where it very likely is the right one.
/// All memory is reserved at once and touched as it fills: no rehash ever stops the callers. Not thread-safe.
class KeyTable {
 public:
  explicit KeyTable(std::size_t bound);
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  /// The counter of `hash`, or null. Valid until the next insert.
  Slot* find(const Hash& hash) noexcept;

  /// A fresh counter for `hash`, which find() does not know. At the bound another is forgotten first: one that is full
  /// at `now`, else of those looked at the one full again the soonest, which was used the least for its limit; spent
  /// ones only where nothing else is found. Looks at no more than 64.
  Slot& insert(const Hash& hash, Instant now);

  /// Notes whether nothing was left of the counter when it was last used.
  void set_spent(const Slot& slot, bool spent) noexcept;

  std::size_t size() const noexcept { return size_; }
  std::uint64_t evicted() const noexcept { return evicted_; }  ///< forgotten though not full

 private:
  std::size_t home(const Hash& hash) const noexcept;
  std::size_t after(std::size_t at) const noexcept { return at + 1 == capacity_ ? 0 : at + 1; }
  void make_room(Instant now);
  void erase(std::size_t hole) noexcept;

  std::size_t bound_;
  std::size_t capacity_;
  std::vector<std::uint8_t> marks_;  ///< 0: free; else kTaken, perhaps kSpent, and six bits of the hash
  Slot* slots_;                      ///< constructed where marks_ says taken
  std::size_t size_ = 0;
  std::size_t hand_ = 0;  ///< where make_room() goes on looking
  std::uint64_t evicted_ = 0;
};

}  // namespace headgate::limit
