#pragma once
// Settlements on their way to Redis: merged per counter, bounded, and shared out between limits. No I/O and no clock.
// Used by redis.

#include "headgate/limit/limit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headgate::limit {

/// The settlements of one counter and kind. Permits of holds that expire at different times are kept apart.
struct SettlementSum {
  using Moment = std::chrono::steady_clock::time_point;

  std::shared_ptr<const Rule> rule;
  Hash hash;
  How how = How::take;      ///< `take` gives permits back; otherwise `charge` or `debt`
  std::int64_t cost = 0;    ///< below 0 to give back
  std::uint64_t count = 0;  ///< number of settlements
  Moment since;             ///< moment of the oldest one
  Moment held_until;        ///< end of the holds whose permits are given back
};

/// The settlements of one key: all of its counters are in one slot of a cluster.
struct SettledKey {
  std::string key;
  std::vector<SettlementSum> sums;
  unsigned refusals = 0;  ///< how often a working Redis has refused them
};

/// Settlements that are sent in one call. It has each counter at most once.
struct SettleBatch {
  std::vector<SettledKey> keys;
  bool maybe_applied = false;  ///< Redis may have applied the batch, but its answer was lost
};

/// The queue of one worker. A settlement is new until its first call has failed, and then it waits. A new settlement of
/// a counter that waits is added to it. All times must be those of one steady clock. Not thread-safe.
class SettleQueue {
 public:
  using Moment = SettlementSum::Moment;

  /// Maximum number of sums. A limit may have as many as are free, so one limit alone can have half of them.
  static constexpr std::size_t kMax = 32'768;

  struct Amount {
    std::uint64_t settlements = 0;
    std::uint64_t permits = 0;  ///< those to charge and those to give back
  };

  /// Adds a settlement: a give-back (How::take with a cost below 0), a How::charge or a How::debt. `rule` counts like
  /// the check's rule. A give-back is dropped once `held_until` has passed. The time is kept with an error of at most a
  /// sixteenth of what is left, so that holds that expire at about the same time are merged. Returns false if there is
  /// no room; then the settlement is counted as lost.
  bool add(const Check& check, std::shared_ptr<const Rule> rule, Moment held_until, Moment now);

  bool has_new() const noexcept { return !new_.empty(); }
  bool has_waiting() const noexcept { return !waiting_.empty(); }
  /// Returns whether there are new settlements of a key.
  bool is_new(std::string_view key) const;

  /// Removes at most `most` sums, the oldest first; only those of one key if `one_key` is set. Give-backs of expired
  /// holds are dropped. The result may be empty. Each batch must be returned with one of the functions below.
  SettleBatch take_new(std::size_t most, bool one_key, Moment now) { return take(new_, most, one_key, now); }
  SettleBatch take_waiting(std::size_t most, bool one_key, Moment now) { return take(waiting_, most, one_key, now); }
  /// Drops give-backs of expired holds from a batch that is sent again.
  void drop_expired(SettleBatch& batch, Moment now);
  /// Lets all new settlements wait.
  void let_wait();
  /// Puts the settlements of a batch that was certainly not applied at the end of those that wait, and lets new ones of
  /// their keys wait as well.
  void put_back(SettleBatch&& batch);
  void settled(const SettleBatch& batch);
  void lost(const SettleBatch& batch);

  /// Drops give-backs of expired holds. Visits everything.
  void sweep(Moment now);

  /// Returns what is not settled yet, including batches.
  Amount outstanding() const noexcept { return outstanding_; }
  /// Returns the time of the oldest settlement that is not settled yet, to a second; empty if there is none.
  std::optional<Moment> oldest() const;
  bool has_lost() const noexcept { return !lost_.empty(); }
  /// Returns the settlements that were lost since the last call, by limit.
  std::map<std::string, Amount, std::less<>> take_lost() { return std::exchange(lost_, {}); }

 private:
  using Keys = std::list<SettledKey>;
  struct Place {
    Keys* list;
    Keys::iterator at;
  };

  SettleBatch take(Keys& from, std::size_t most, bool one_key, Moment now);
  void append(Keys& list, SettledKey&& key);
  bool has_room(const Rule& rule) const;
  void merge(SettlementSum& into, const SettlementSum& more);
  void drop_expired(std::vector<SettlementSum>& sums, Moment now);
  void begin(const SettlementSum& sum);
  void end(const SettlementSum& sum);
  void lose(const SettlementSum& sum);

  Keys new_;
  Keys waiting_;
  std::unordered_map<std::string_view, Place> places_;  ///< the names belong to the lists
  std::map<std::string, std::size_t, std::less<>> sums_of_limit_;
  std::size_t sums_ = 0;
  Amount outstanding_;
  std::map<std::chrono::seconds, std::size_t> begun_;  ///< number of sums by the second of SettlementSum::since
  std::map<std::string, Amount, std::less<>> lost_;
};

}  // namespace headgate::limit
