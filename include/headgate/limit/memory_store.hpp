#pragma once
// The limit store in memory: one for each process, shared by all workers, with a bound on keys. Used by server, engine,
// gateway and admin.

#include "headgate/limit/limiter.hpp"
#include "headgate/limit/saved_counter.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headgate::limit {

struct MemoryOptions {
  /// The maximum number of keys, at least 1. A key takes 80 bytes. The memory is reserved at the start, and its pages
  /// are touched as they fill. The table has at most 64 parts, each of at least 4096 keys. By chance, one part may be
  /// full slightly (1 %) before the whole table.
  ///
  /// When a part is full, a new key replaces another key of that part, chosen in this order:
  ///  1. a key whose counter is full again: nothing is lost;
  ///  2. a key of a limit that has more than its fair share of the part, so that a flood of keys of one limit evicts
  ///  only keys of that limit;
  ///  3. a key with permits left, before a spent key, whose caller is rejected: a spent key is replaced only if no
  ///  better key of its limit is known;
  ///  4. the key that is full again soonest, because it was used least for its limit.
  /// The choice takes a few cache lines, whatever the bound is. There is no periodic clean-up.
  ///
  /// A key of a sliding_log has in addition 8 bytes for each request in its window (allocated for up to a sixteenth
  /// more than its limit). These bytes are freed with the key and not counted here: their maximum is this bound times
  /// the largest such limit times 8.5 bytes.
  std::size_t max_keys = 1'000'000;
};

/// How many threads use a store. For one thread the table has a single part: the used entries are then closer together,
/// and a simulation of a million requests takes a fifth less time.
enum class Threads : bool { one, many };

/// The counters of one limit, for all its rules and tiers together. A key has one counter for each rate of its tier,
/// and one for its offences.
struct LimitKeys {
  std::string limit;
  std::size_t tracked = 0;    ///< current number of counters
  std::size_t keys = 0;       ///< current number of keys, each counted once
  std::uint64_t evicted = 0;  ///< number of keys evicted before they were full, since startup
};

/// The store: counters striped by key, so that workers rarely contend. Any thread. A call never blocks longer than the
/// locks of a few stripes, and its work does not grow with the number of keys. Checks of one call that name the same
/// counter are merged into one check with the sum of their costs, and get one decision. The How of the merged check is
/// the strictest of theirs, in this order: take, observe, charge, debt.
class MemoryStore final : public Limiter {
 public:
  explicit MemoryStore(MemoryOptions options, Threads threads = Threads::many);
  ~MemoryStore() override;
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// Checks every rule, then takes from all of them or from none (for exceptions see How). Returns whether the call
  /// passes; `decisions[i]` is for `checks[i]`. `now` may differ between callers because of clock skew; for one key,
  /// time never runs backwards.
  bool decide(std::span<const Check> checks, Instant now, std::span<Decision> decisions) override;

  /// Gives back the permits of an earlier decide(), because a later step rejected the request. `checks` are those
  /// checks of the earlier call that took a cost; leave out checks with a cost of 0 or less, and observed checks that
  /// were rejected.
  void give_back(std::span<const Check> checks, Instant now) override;

  /// Prefetches the counter of this hash for a decide that follows soon. Only for a store of one thread.
  void expect(const Hash& hash) const noexcept;

  std::size_t keys() const noexcept;            ///< current number of keys
  std::uint64_t evicted_keys() const noexcept;  ///< number of keys evicted before they were full, since startup

  /// Passes all counters that are not full at `now` to `tell`, except those of requests in flight. Delays other callers
  /// only for a small part at a time; a counter that changes meanwhile is passed as it was or as it is. Not for the
  /// request path.
  void save(Instant now, const std::function<void(const SavedCounter&)>& tell) const;
  enum class Restored { yes, known, unknown_algorithm };
  /// Takes over a saved counter. A counter that exists here already is kept.
  Restored restore(const SavedCounter& counter, Instant now);

  /// Forgets the use and the offences of all keys of a limit. Delays other callers only for a small part of the
  /// counters at a time; a key that is used meanwhile may be reset before or after that. Returns how many keys had a
  /// counter.
  std::size_t forget(const std::string& limit);

  /// Returns the keys by limit, sorted by name: every limit that ever had a key, even if it is no longer configured.
  /// For status reports, not for the request path.
  std::vector<LimitKeys> keys_by_limit() const;

 private:
  struct Stripes;
  std::unique_ptr<Stripes> stripes_;
};

}  // namespace headgate::limit
