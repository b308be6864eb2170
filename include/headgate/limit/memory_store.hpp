#pragma once
// The embedded store: one per process, shared by all workers, bounded in keys.

#include "headgate/limit/limit.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headgate::limit {

struct MemoryOptions {
  /// The bound, at least 1: 80 bytes each, reserved at the start and touched as they fill. Chance may fill a share of
  /// the table a little (1 %) before the whole.
  ///
  /// Beyond it a new key takes the place of another of its part of the table (a part is at least 4096 keys, and there
  /// are at most 64): of one that is full again, which loses nothing; else of one of a limit that has more than its
  /// fair share of the part, so that a flood of one limit's keys forgets that limit's own. Of those it is the one full
  /// again the soonest of those that are not used up, which was used the least for its limit. A key that is used up, so
  /// that its caller is refused, goes only where all others of its limit that are known to go first are. That takes the
  /// same few cache lines whatever the bound; nothing is ever swept.
  ///
  /// A key of a sliding_log has in addition 8 bytes for each request in its window (room for a sixteenth more than its
  /// limit at most), which go with the key. They are not counted here: in all they are at most this bound times the
  /// largest such limit times 8.5.
  std::size_t max_keys = 1'000'000;
};

/// What is kept for one limit, all its rules and tiers together.
struct LimitKeys {
  std::string limit;
  std::size_t tracked = 0;    ///< keys now
  std::uint64_t evicted = 0;  ///< keys forgotten though not full, since start
};

/// Counters in memory, striped by key so that workers seldom meet. Any thread. Never blocks longer than
/// a few stripes' locks, and does no work that grows with the number of keys.
/// Asks of one call that mean one counter are one question with the sum of their costs, in the strictest of their ways
/// (take, then trial, then charge, then debt), and get one verdict.
class MemoryStore {
 public:
  explicit MemoryStore(MemoryOptions options);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// Asks every rule, then takes from all of them or from none (but see How). Returns whether the call goes through;
  /// `verdicts[i]` answers `asks[i]`. `now` may differ between callers by clock skew; time never runs backwards for a
  /// key.
  bool decide(std::span<const Ask> asks, Instant now, std::span<Verdict> verdicts);

  /// Returns what an earlier decide took (asks as they were then, cost above 0; without those on trial that were
  /// refused): for when a later step refused the request.
  void give_back(std::span<const Ask> asks, Instant now);

  std::size_t keys() const noexcept;            ///< kept now
  std::uint64_t evicted_keys() const noexcept;  ///< forgotten though not full, since start

  /// The same by limit, sorted by name: every limit a key was ever kept of, also if it is no longer configured. To be
  /// shown, not for the path.
  std::vector<LimitKeys> keys_by_limit() const;

 private:
  struct Stripes;
  std::unique_ptr<Stripes> stripes_;
};

}  // namespace headgate::limit
