#pragma once
// Leases: the gateway takes permits of a busy counter from Redis in advance and in batches, and decides with them
// locally. No I/O: the caller sends the calls that this code returns. Used by Local.

#include "headgate/limit/limit.hpp"
#include "headgate/limit/recent_table.hpp"
#include "headgate/limit/rule_copies.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headgate::limit {

struct LeaseOptions {
  /// number of limiters that may hold a lease of one key: gateways times workers; see reckon_with()
  std::uint32_t sharers = 1;
  std::size_t max_keys = 64UL * 1024;  ///< maximum number of keys with a rate estimate; the least busy ones are dropped
  std::uint32_t max_leases = 4UL * 1024;  ///< maximum number of leased keys; Redis decides each request of other keys
  std::uint64_t seed = 1;                 ///< seed of the pauses between reservations; different for each limiter
};

/// Returns whether a limiter takes permits of the rule in advance if a key is busy enough and there are this many
/// sharers. False for a rule that grants too little for a lease.
bool may_be_leased(const Rule& rule, std::uint32_t sharers) noexcept;

/// The permits that one worker has taken in advance. Not thread-safe.
///
/// Guarantee: Redis counts every permit before a request uses it. So, over all time, not one request too many passes.
/// Only the moment of use shifts: a permit may be used up to kLife after it was taken, and other gateways may use a
/// permit after it was given back. In an interval of length t at most burst + rate * (t + 1 s) requests pass, instead
/// of burst + rate * t. If a limit starts anew at fixed moments, its permits are used or given back only in the window
/// in which they were taken.
///
/// If a key has more than kHot checks a second at this limiter, a lease is worth its cost. A lease is as large as the
/// demand here in half a second, but at most this limiter's share of half of the remaining permits that Redis last
/// reported. It may always be as large as the demand of 20 ms. A lease of less than four requests is not taken; Redis
/// then decides each request. No lease is taken either if a limit refills slowly and has only few permits left for each
/// sharer, because a lease would withhold them from the others.
///
/// The extra permits are added to the cost of a request that goes to Redis anyway. If Redis rejects them, the request
/// is sent again without them. So no request is rejected because of the extra permits. The next attempt asks for fewer.
/// When at most a quarter of a lease is left, more permits are fetched in the background.
///
/// The gateway reserves the next permits in the background if a limit refills evenly, no permits are left, and requests
/// come before the moment that they were told. It reserves this limiter's share of the permits that come back in a
/// quarter of a second, but at least one request. Redis debits these permits at once, below zero, and the gateway uses
/// each one only when it has come back. Until then, Redis would also reject each request that is rejected here. All
/// limiters together reserve at most the permits of kQueue. If a limiter finds that more than half of them are
/// reserved, it pauses for a random time, so that the others get permits too.
///
/// A reserved permit is not available at the other gateways. So a wait that is told without asking Redis also covers
/// what they may have reserved (told_here()). A caller that has a key to itself and always waits as told never comes
/// too early. So nobody reserves permits of its key, and Redis tells it each wait exactly.
class Leases {
 public:
  using Id = std::uint32_t;  ///< name of a lease as long as it is held
  static constexpr Id kNone = 0;
  static constexpr double kHot = 8;  ///< decisions per second
  /// The life of a lease, from the call to Redis. It is shorter than the promised second by one interval of sweep(),
  /// which gives the permits back.
  static constexpr Duration kLife = std::chrono::milliseconds(900);
  static constexpr Duration kSweep = std::chrono::milliseconds(100);  ///< interval at which the caller calls sweep()
  /// Time before the end of a window until which refunds to the window are sent. If Redis hung, a later refund could be
  /// counted in the next window.
  static constexpr Duration kLate = std::chrono::seconds(2);
  /// The maximum that all limiters together reserve of one counter, as the time in which the reserved permits come
  /// back.
  static constexpr Duration kQueue = std::chrono::milliseconds(800);

  explicit Leases(const LeaseOptions& options);
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  /// Returns whether the gateway may lease the rule of `check`.
  static bool leasable(const Check& check) noexcept;

  enum class LeaseState : std::uint8_t {
    held,  ///< the lease has permits for the cost of the check
    /// The lease will have the permits later, and Redis has no others; so reject until then.
    later,
    coming,  ///< more permits are on their way, so wait for ended()
    /// Ask Redis for `ahead` permits in addition to the cost. If `ahead` is 0, too little was left the last time; then
    /// one request goes to Redis, and the others wait for its answer.
    worth,
    cold  ///< Redis must be asked for the cost of the check
  };
  struct Look {
    LeaseState state = LeaseState::cold;
    Id lease = kNone;
    std::int64_t ahead = 0;
  };
  /// Returns the lease state of `check`, which is leasable.
  Look look(const Check& check, Moment now);

  /// A record of permits that were taken from a lease, with which put_back() returns them.
  struct Receipt {
    Id lease = kNone;
    std::uint32_t generation = 0;
    std::int64_t tokens = 0;
    Moment expires;
    Moment refund_by;
  };
  /// Takes the cost of `check` from its lease, for which look() returned `held` at the same `now`. In `decision`, the
  /// remaining permits are those that Redis last reported as left and those that are held here.
  using Receipts = boost::container::static_vector<Receipt, 3>;
  Receipts take(const Check& check, Id lease, Moment now, Decision& decision);
  /// Sets the decision that take() would return after `taken` permits were taken. Takes nothing.
  void tell(const Check& check, Id lease, Moment now, Decision& decision, std::int64_t taken = 0) const;
  void put_back(const Receipt& receipt);
  /// Keeps the leases of these receipts, with a `change` of 1, until the next call with them, with -1. Without it, a
  /// lease may end while a call to Redis takes long, and put_back() would lose its permits.
  void count_lent(std::span<const Receipt> receipts, int change) noexcept;
  /// Returns the wait for a caller that this gateway rejects without asking Redis. `wait` is the time until permits
  /// come back, as far as known here. After the returned wait, Redis has the cost of `check` as well, whatever other
  /// gateways have reserved.
  static Duration told_here(const Check& check, Duration wait) noexcept;
  /// Sets the decision for a check in the state LeaseState::later.
  void tell_later(const Check& check, Id lease, Moment now, Decision& decision) const;

  /// Permits held here that cover a part of a cost; the call to Redis takes only the rest. If owes() is true after
  /// take_part(), refund the expired permits first.
  struct Part {
    std::int64_t tokens = 0;  ///< number of permits; less than the cost
    Receipts receipts;
  };
  Part take_part(const Check& check, Moment now);
  /// For a peek: the permits held here that take_part() would take now, all that are usable, and whether begin() would
  /// return a lease.
  struct Seen {
    std::int64_t part = 0;
    std::int64_t held = 0;
    std::int64_t going_back = 0;  ///< permits that have expired; see going_back()
    bool may_begin = false;
  };
  Seen see(const Check& check, Moment now) const;
  /// Ends what the decision of a request would end: a lease of another size, and expired permits. Call it before a peek
  /// or a check with cost 0 asks Redis for the remaining permits. If owes() is true afterwards, refund these permits
  /// first, because the decision of a request would find them in Redis.
  void expire(const Check& check, Moment now);
  /// Returns whether a caller was told a wait that relies on permits which are held here or on their way. Clears the
  /// flag.
  bool counted_on(Id lease) noexcept;

  /// Records that `check` (leasable) did not take from a lease: Redis decides it, or it is rejected here. `too_early`
  /// means that the request came before the moment that Redis or a lease had told its caller.
  enum class Came : std::uint8_t { in_time, too_early };
  void count(const Check& check, Moment now, Came came = Came::in_time);
  /// Records that `check` found that a call for more permits is on its way (LeaseState::coming). If little is left, the
  /// request counts as one that came too early.
  void came_together(const Check& check) noexcept;
  /// Begins a call that asks Redis for more than the cost of `check`; ended() must follow. Returns kNone if nothing
  /// more can be leased.
  Id begin(const Check& check, Moment now);
  /// Records that Redis granted `tokens` extra permits to a call that was sent at `asked`.
  void granted(Id lease, std::int64_t tokens, const Decision& decision, Moment asked);
  void reserved(Id lease, std::int64_t tokens, const Decision& decision, Moment asked,
                Moment now);  ///< records a reservation by a call that was answered at `now`
  /// Records that Redis rejected the call because of the extra permits.
  void rejected(Id lease, const Decision& decision, Moment now);
  /// Records that the call got no answer. Permits that Redis has counted nevertheless are lost.
  void failed(Id lease, Moment now) noexcept;
  void ended(Id lease) noexcept;

  /// Records the decision of Redis for `check` (leasable).
  void told(const Check& check, const Decision& decision);
  /// Returns whether Redis rejected `check` with `decision` because requests came too early or others have reserved
  /// permits. False if a single caller uses the key and waits as told. If true, this gateway may reserve permits too.
  bool is_contended(const Check& check, const Decision& decision, Moment now) const noexcept;
  /// Records that Redis decided `check` without extra permits (told() has the decision) and that is_contended() is
  /// true. The permits that come back next may be worth a reservation.
  void runs_out(const Check& check, Moment now);
  /// Returns an additional wait for a caller of `check`, so that callers that wait for the same moment do not all come
  /// at once. It is at most the time in which the cost comes back once more, and so short that the counter does not
  /// fill up and lose permits. It differs between limiters and between values of `ended`.
  Duration spread(const Check& check, Moment ended) const noexcept;
  /// Records that permits were given back to the counter of `hash`: a check that finds too little here then goes to
  /// Redis.
  void given_back(const Hash& hash) noexcept;
  /// Returns the permits of the counter of `hash` that are held here and usable now.
  std::int64_t held(const Hash& hash, Moment now) const noexcept;
  /// Returns the permits of the counter of `hash` that have expired here and are not yet in the number that Redis last
  /// reported as left. They count as left: their lease ends, and Redis gets them.
  std::int64_t going_back(const Hash& hash, Moment now) const noexcept;

  /// A call to Redis in the background. `check` stays valid until the result is reported.
  struct PendingRefill {
    Id lease = kNone;
    Check check;
  };
  /// Returns a call that fetches more permits for a lease that runs low, or reserves permits (How::debt). Afterwards
  /// call granted(), rejected() or failed(), or for a reservation reserved() or failed(); then ended().
  std::optional<PendingRefill> next_refill(Moment now);
  /// Returns a call that gives back the rest of an expired lease. Call refunded() afterwards, whatever the result is.
  /// The call is never sent twice, because the first one may have given the permits back.
  std::optional<PendingRefill> next_refund();
  /// Ends a refund. `told` is the answer of Redis; null if there was none.
  void refunded(Id lease, const Decision* told = nullptr) noexcept;

  /// Sets the number of sharers. It changes how much is leased from now on, but never how much is granted.
  void reckon_with(std::uint32_t sharers) noexcept { options_.sharers = std::max<std::uint32_t>(sharers, 1); }
  void sweep(Moment now);    ///< expires leases; call it every kSweep while !empty()
  void end_all(Moment now);  ///< expires all leases for the shutdown
  bool empty() const noexcept { return live_.empty(); }
  bool running_low() const noexcept { return !low_.empty(); }
  /// Returns whether next_refund() should be called before the next sweep().
  bool owes() const noexcept { return owes_; }

 private:
  /// The demand for a key here, counted per second: in the current second and in the one before.
  struct RateEstimate {  // a cache line
    Hash hash;
    Moment since;  ///< start of the current second
    std::uint32_t checks = 0;
    std::uint32_t checks_before = 0;
    std::uint16_t early = 0;  ///< number of `checks` that came too early
    std::uint16_t early_before = 0;
    Id lease = kNone;  ///< kNone if there is no lease; an entry with a lease is never replaced
    double tokens = 0;
    double tokens_before = 0;
    std::uint64_t remaining = 0;  ///< remaining permits, as last reported by Redis

    void count(std::int64_t cost, Moment now) noexcept;
    void count_early() noexcept;
    double early_per_second(Moment now) const noexcept;
    double checks_per_second(Moment now) const noexcept;
    double tokens_per_second(Moment now) const noexcept;
  };
  struct Lease;
  struct Batch;

  std::int64_t worth(const RateEstimate& estimate, const Rule& rule, const Lease* lease, std::int64_t cost,
                     Moment now) const noexcept;
  std::int64_t reservable(const Lease& lease, Moment now) const noexcept;
  Id lease_of(const Check& check, Moment now);
  void runs_low(Lease& lease, Id id);
  std::int64_t take_from(Batch& batch, std::int64_t tokens, Id id, Receipts& receipts);
  static bool little_left(const RateEstimate& estimate, const Check& check) noexcept;
  Duration random_pause(Duration longest) noexcept;
  void release(Id id) noexcept;
  Lease& at(Id id) const noexcept { return *leases_[id - 1]; }

  LeaseOptions options_;
  RecentTable<RateEstimate> estimate_;
  std::vector<std::unique_ptr<Lease>> leases_;
  std::vector<Id> free_;
  std::vector<Id> live_;
  std::vector<Id> low_;
  std::size_t next_refund_ = 0;  ///< index in live_
  bool owes_ = false;
  std::uint64_t random_;
  RuleCopies rules_;
};

}  // namespace headgate::limit
