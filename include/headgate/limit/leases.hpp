#pragma once
// Leases: of a counter that is asked often, some is taken from Redis ahead, in batches, and decided here. No I/O: who
// uses it sends what it says.

#include "headgate/limit/limit.hpp"
#include "headgate/limit/recent_table.hpp"
#include "headgate/limit/rule_copies.hpp"

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::limit {

struct LeaseOptions {
  std::uint32_t sharers = 1;              ///< limiters that may hold a lease of one key: gateways times workers
  std::size_t max_keys = 64UL * 1024;     ///< keys of which is known how often they are asked; above it, the coldest go
  std::uint32_t max_leases = 4UL * 1024;  ///< keys leased at once; above it the others are asked one by one
};

/// What one worker has taken ahead. Not thread-safe.
///
/// What a lease promises: every request let through was counted in Redis before, so that in total, from any beginning,
/// never one too many passes. What it changes is when: what was taken at one moment may be used up to kLife later, and
/// what was given back may be used by others then. Over an interval of length t at most burst + rate * (t + 1 s) passes
/// instead of burst + rate * t. Of a limit that starts anew at fixed moments nothing taken before such a moment is used
/// or given back after it, so there not even that changes.
///
/// A key asked more than kHot times a second here is worth a lease: half a second of what is asked here, but no more
/// than this limiter's share of half of what Redis last said was left, or what is asked here within 20 ms, and never
/// less than four requests, below which each is asked for itself. So is what is left of a limit that comes back slowly
/// and of which each sharer would get next to nothing: it would only be withheld from the others. The extra is added to
/// the cost of a request that is asked anyway; where it is refused, the request is asked again without, so that nobody
/// is turned away out of greed, and less is tried the next time. Where no more than a quarter is left, more is fetched
/// in the background.
///
/// Of a limit that comes back evenly, and of which nothing is left, what comes back next is reserved, in the
/// background: this limiter's share of a quarter of a second, or one request where that is less. It is debited at once,
/// below nothing, and used as it comes back, never earlier: meanwhile a refusal here is one that Redis would give as
/// well, and the wait that is told is when the next of it has come back.
class Leases {
 public:
  using Id = std::uint32_t;  ///< of a lease, while it is held
  static constexpr Id kNone = 0;
  static constexpr double kHot = 20;  ///< decisions a second
  /// From the asking on. Shorter by one round of sweep() than the second promised, in which it must be given back.
  static constexpr Duration kLife = std::chrono::milliseconds(900);
  static constexpr Duration kSweep = std::chrono::milliseconds(100);  ///< how often sweep() is to be called
  /// What is left of a window when the last is given back to it. A Redis that hung meanwhile would count it to the
  /// next.
  static constexpr Duration kLate = std::chrono::seconds(2);

  explicit Leases(const LeaseOptions& options);
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  /// Whether the rule of `ask` may be leased for it.
  static bool leasable(const Ask& ask) noexcept;

  enum class Standing : std::uint8_t {
    held,    ///< the lease has its cost
    later,   ///< it will have it, and there is no more: refused until then
    coming,  ///< more is being asked for: wait for ended()
    worth,   ///< ask for `ahead` more than its cost; none where too little was left the last time: one asks, and the
             ///< others wait for what it hears
    cold     ///< ask for its cost
  };
  struct Look {
    Standing standing = Standing::cold;
    Id lease = kNone;
    std::int64_t ahead = 0;
  };
  /// How things stand for `ask`, which is leasable.
  Look look(const Ask& ask, Moment now);

  /// What was taken from a lease, to put it back.
  struct Receipt {
    Id lease = kNone;
    std::uint32_t generation = 0;
    std::int64_t tokens = 0;
    Moment expires;
    Moment refund_by;
  };
  /// Takes the cost of `ask` from its lease, which look() said holds it, at the same `now`; `verdict` says so: what
  /// Redis last said was left, and what is held here.
  using Receipts = boost::container::static_vector<Receipt, 3>;
  Receipts take(const Ask& ask, Id lease, Moment now, Verdict& verdict);
  /// What take() would tell, taking nothing.
  void tell(const Ask& ask, Id lease, Moment now, Verdict& verdict) const;
  void put_back(const Receipt& receipt);
  /// What a refusal for Standing::later tells.
  void tell_later(const Ask& ask, Id lease, Moment now, Verdict& verdict) const;

  /// What there is towards a cost of which there is too little: so much less is to be asked of Redis. Where owes()
  /// then, what is over is to be given back before.
  struct Part {
    std::int64_t tokens = 0;  ///< less than the cost
    Receipts receipts;
  };
  Part take_part(const Ask& ask, Moment now);
  /// Whether a wait was told, since this was last asked, that counts on what is here or will be.
  bool counted_on(Id lease) noexcept;

  /// `ask`, which is leasable, was not taken from a lease: it is asked in Redis, or refused here.
  void count(const Ask& ask, Moment now);
  /// It is asked with more than its cost; ended() must follow. kNone where nothing more can be leased.
  Id begin(const Ask& ask, Moment now);
  void granted(Id lease, std::int64_t tokens, const Verdict& verdict, Moment asked);  ///< in a call sent at `asked`
  void reserved(Id lease, std::int64_t tokens, const Verdict& verdict, Moment asked,
                Moment now);                                   ///< answered at `now`
  void refused(Id lease, const Verdict& verdict, Moment now);  ///< because of the extra
  void failed(Id lease, Moment now) noexcept;  ///< nobody answered: what was counted there all the same is lost
  void ended(Id lease) noexcept;

  /// What Redis said of `ask`, which is leasable.
  void told(const Ask& ask, const Verdict& verdict);
  /// Redis was asked for no more than `ask`, which is leasable, and told() what it said: where little or nothing is
  /// left, what comes back next may be worth an errand.
  void runs_out(const Ask& ask, const Verdict& verdict, Moment now);
  /// Something was given back to the counter of `hash`: who finds too little here asks.
  void given_back(const Hash& hash) noexcept;
  /// What is held here of the counter of `hash`, and may be used.
  std::int64_t held(const Hash& hash, Moment now) const noexcept;

  /// Something to be said to Redis in the background; `ask` stays valid until it is reported.
  struct Errand {
    Id lease = kNone;
    Ask ask;
  };
  /// More for a lease that runs low, or a reservation (How::debt): report granted(), refused() or failed(), or
  /// reserved(); then ended().
  std::optional<Errand> next_refill(Moment now);
  /// What is left of one over: report refunded() whatever came of it. Never sent twice: what may have been given back
  /// is not given back again.
  std::optional<Errand> next_refund();
  void refunded(Id lease) noexcept;

  void sweep(Moment now);    ///< every kSweep while !empty(): finds what is over
  void end_all(Moment now);  ///< all leases are over: for the end
  bool empty() const noexcept { return live_.empty(); }
  bool running_low() const noexcept { return !low_.empty(); }
  bool owes() const noexcept { return owes_; }  ///< whether next_refund() should not wait for the next sweep()

 private:
  /// How often a key is asked: counted by seconds, this one and the one before.
  struct Heat {  // a cache line
    Hash hash;
    Moment since;  ///< this second's begin
    std::uint32_t asks = 0;
    std::uint32_t asks_before = 0;
    double tokens = 0;
    double tokens_before = 0;
    std::uint64_t remaining = 0;  ///< as Redis last said
    Id lease = kNone;             ///< an entry with one stays

    void count(std::int64_t cost, Moment now) noexcept;
    double asks_a_second(Moment now) const noexcept;
    double tokens_a_second(Moment now) const noexcept;
  };
  struct Lease;
  struct Batch;

  std::int64_t worth(const Heat& heat, const Rule& rule, const Lease* lease, std::int64_t cost,
                     Moment now) const noexcept;
  std::int64_t reservable(const Lease& lease, Moment now) const noexcept;
  Id lease_of(const Ask& ask, Moment now);
  void runs_low(Lease& lease, Id id);
  std::int64_t take_from(Batch& batch, std::int64_t tokens, Id id, Receipts& receipts);
  static bool little_left(const Heat& heat, const Ask& ask) noexcept;
  void release(Id id) noexcept;
  Lease& at(Id id) const noexcept { return *leases_[id - 1]; }

  LeaseOptions options_;
  RecentTable<Heat> heat_;
  std::vector<std::unique_ptr<Lease>> leases_;
  std::vector<Id> free_;
  std::vector<Id> live_;
  std::vector<Id> low_;
  std::size_t next_refund_ = 0;  ///< index in live_
  bool owes_ = false;
  RuleCopies rules_;
};

}  // namespace headgate::limit
