#pragma once
// The suspended keys that this process knows.

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

/// One for each process. Any thread. A look-up takes about 30 ns, and a load of one number while nobody is suspended.
/// Bounded: above kMaxBans keys, the limit that has the most of them makes room: of its suspensions the one that ends
/// first is dropped. So no limit loses one while it has less than its share. What an operator ordered is never dropped,
/// and does not count for the bound.
///
/// A key that was suspended is remembered for some time after its end: the next suspension lasts twice as long. Of two
/// changes to a key, the one that the shared log has later wins.
class BanTable {
 public:
  static constexpr std::size_t kMaxBans = 65'536;
  /// How long a key is remembered after the end of its suspension, at most. No BanPolicy::longest is longer.
  static constexpr Duration kRemembered = std::chrono::hours(24) * 31;

  /// Called with each change that was made here (not with those of apply()), on the thread that made it.
  using Hook = std::function<void(const Ban&)>;

  explicit BanTable(Hook changed = nullptr, std::size_t bound = kMaxBans);
  ~BanTable();

  struct Found {
    Instant until{};
    bool observed = false;
    bool operated = false;  ///< an operator wants it
  };
  /// The suspension of `key` at `now`; nothing if it is not suspended. `offences` is the rule of its limit's policy.
  std::optional<Found> find(const Rule& offences, std::string_view key, Instant now) const {
    return find(std::string_view(offences.limit), key, now);
  }
  /// The same of the limit called `limit`.
  std::optional<Found> find(std::string_view limit, std::string_view key, Instant now) const;

  /// Returns whether a key may be suspended by an operator, here or at a gateway with the same log. Only then may keys
  /// of limits without `ban`, and blocks of addresses, be suspended.
  bool operated() const noexcept { return operated_.load(std::memory_order_relaxed) != 0; }
  /// To be called now and then: operated() is false again if no operator's suspension is left at `now`.
  void end_operated(Instant now) noexcept;
  /// The lengths of the blocks of addresses that operators suspended.
  const BlockLengths& blocks() const noexcept { return blocks_; }

  /// Suspends `key` by `policy`; nothing if it is suspended already.
  std::optional<Ban> suspend(const BanPolicy& policy, std::string_view key, BanReason reason, bool observed,
                             Instant now);
  /// Returns how long suspend() would suspend `key` that is not suspended now.
  Duration next_length(const BanPolicy& policy, std::string_view key, Instant now) const;
  /// An operator suspends `key` of `limit` from now for this long. Replaces a suspension under way.
  Ban add(std::string_view limit, std::string_view key, Duration length, Instant now);
  /// An operator ends the suspension of `key` of `limit`, and earlier ones are forgotten. Nothing if it is not
  /// suspended.
  std::optional<Ban> lift(std::string_view limit, std::string_view key, Instant now);
  /// An entry of the shared log.
  void apply(const Ban& ban, Instant now);

  /// All keys that are suspended at `now`, those that end first before the others.
  std::vector<Ban> list(Instant now) const;

  /// Those, and the keys that are remembered, in no order: for the process after this one, which takes them by apply().
  std::vector<Ban> remembered() const;

  /// For the metrics.
  struct Counts {
    std::size_t suspended = 0;                     ///< keys at this moment
    std::map<BanReason, std::uint64_t> made_here;  ///< suspensions since the start
    std::uint64_t dropped = 0;  ///< suspensions since the start that ended early, because the limit had too many
  };
  std::map<std::string, Counts> counts(Instant now) const;  ///< by limit
  /// Suspensions under way at a moment, but those of operators. Those that are only remembered make room for them.
  struct Held {
    std::size_t keys = 0;
    std::size_t operated = 0;      ///< those of operators, which are not among `keys`
    std::string most;              ///< the limit with the most of them; empty: there are none
    std::size_t keys_of_most = 0;  ///< how many it has
  };
  Held held(Instant now) const;
  std::map<std::string, std::uint64_t> dropped() const;  ///< Counts::dropped by limit; only those that have any

 private:
  struct State;
  void note(const Ban& ban) noexcept;

  std::atomic<std::uint64_t> operated_{0};  ///< orders since there was none in force
  BlockLengths blocks_;
  std::unique_ptr<State> state_;
};

/// The word for configuration, log and metrics.
std::string_view to_text(BanReason reason) noexcept;

}  // namespace headgate::limit
