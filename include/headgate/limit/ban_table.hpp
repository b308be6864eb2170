#pragma once
// The suspended keys that this process knows. Used by gateway, services, admin and server.

#include "headgate/limit/ban.hpp"
#include "headgate/limit/block_lengths.hpp"
#include "headgate/limit/limit.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

/// The table. One per process; any thread. A look-up takes about 30 ns; while nobody is suspended, it only loads one
/// number. The table is bounded: above kMaxBans keys, the limit with the most suspended keys loses the suspension that
/// ends first. So a limit that has fewer than its fair share loses no suspension. Suspensions ordered by an operator
/// are never dropped and do not count towards the bound.
///
/// A key is remembered for some time after its suspension; if it is suspended again in this time, the suspension lasts
/// twice as long as the one before. Of two changes to a key, the one that is later in the shared log wins.
class BanTable {
 public:
  static constexpr std::size_t kMaxBans = 65'536;
  /// Maximum time for which a key is remembered after the end of its suspension. No BanPolicy::longest is longer.
  static constexpr Duration kRemembered = std::chrono::hours(24) * 31;

  /// Called with each change that was made in this process, but not with those of apply(), on the thread that made the
  /// change.
  using Hook = std::function<void(const Ban&)>;

  explicit BanTable(Hook changed = nullptr, std::size_t bound = kMaxBans);
  ~BanTable();

  struct Found {
    Instant until{};
    bool observed = false;
    bool operated = false;  ///< true if an operator ordered the suspension
  };
  /// Returns the suspension of `key` at `now`; empty if the key is not suspended. `offences` is BanPolicy::offences of
  /// the key's limit.
  std::optional<Found> find(const Rule& offences, std::string_view key, Instant now) const {
    return find(std::string_view(offences.limit), key, now);
  }
  /// Does the same as find() above, for the limit with this name.
  std::optional<Found> find(std::string_view limit, std::string_view key, Instant now) const;

  /// Returns whether an operator may have suspended a key, here or at a gateway with the same log. Only then can keys
  /// of limits without `ban`, and blocks of addresses, be suspended.
  bool operated() const noexcept { return operated_.load(std::memory_order_relaxed) != 0; }
  /// Clears operated() if no operator's suspension is left at `now`. Call it from time to time.
  void end_operated(Instant now) noexcept;
  /// Returns the prefix lengths of the blocks of addresses that operators suspended.
  const BlockLengths& blocks() const noexcept { return blocks_; }

  /// Suspends `key` by `policy`; empty if the key is suspended already.
  std::optional<Ban> suspend(const BanPolicy& policy, std::string_view key, BanReason reason, bool observed,
                             Instant now);
  /// Returns for how long suspend() would suspend `key`, which is not suspended now.
  Duration next_length(const BanPolicy& policy, std::string_view key, Instant now) const;
  /// Suspends `key` of `limit` for this long, by order of an operator. Replaces a current suspension.
  Ban add(std::string_view limit, std::string_view key, Duration length, Instant now);
  /// Ends the suspension of `key` of `limit` by order of an operator, and forgets earlier suspensions of the key. Empty
  /// if the key is not suspended.
  std::optional<Ban> lift(std::string_view limit, std::string_view key, Instant now);
  /// Applies an entry of the shared log.
  void apply(const Ban& ban, Instant now);

  /// Returns all keys that are suspended at `now`, ordered by their end.
  std::vector<Ban> list(Instant now) const;

  /// Returns the suspended keys and the remembered ones, in no particular order. The next process passes them to
  /// apply().
  std::vector<Ban> remembered() const;

  /// Counts for the metrics.
  struct Counts {
    std::size_t suspended = 0;                     ///< currently suspended keys
    std::map<BanReason, std::uint64_t> made_here;  ///< suspensions since startup
    std::uint64_t dropped = 0;  ///< suspensions since startup that ended early because the limit had too many
  };
  std::map<std::string, Counts> counts(Instant now) const;  ///< returns the counts by limit
  /// Suspensions at a moment, except those of operators. Keys that are only remembered make room for new suspensions.
  struct Held {
    std::size_t keys = 0;
    std::size_t operated = 0;      ///< suspensions by operators, which are not counted in `keys`
    std::string most;              ///< the limit with the most suspensions; empty if there are none
    std::size_t keys_of_most = 0;  ///< number of suspensions of the limit `most`
  };
  Held held(Instant now) const;
  /// Returns Counts::dropped by limit, for limits with at least one.
  std::map<std::string, std::uint64_t> dropped() const;

 private:
  struct State;
  void note(const Ban& ban) noexcept;

  /// number of orders by operators since the last moment at which none was in force
  std::atomic<std::uint64_t> operated_{0};
  BlockLengths blocks_;
  std::unique_ptr<State> state_;
};

/// Returns the word for configuration, log and metrics.
std::string_view to_text(BanReason reason) noexcept;

}  // namespace headgate::limit
