#pragma once
// Known rejections: Redis rejected a cost until some moment, and until then the gateway repeats the rejection without
// another call. So an attack on an exhausted key costs Redis almost nothing. Used by Local.

#include "headgate/limit/limit.hpp"
#include "headgate/limit/recent_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headgate::limit {

/// Remembers rejections. One for each worker; not thread-safe; no allocation after construction.
///
/// A rejection says until when Redis rejects this cost and every higher cost, because other requests can only take more
/// permits meanwhile. The gateway repeats the rejection until that moment, and so rejects exactly the requests that
/// Redis would reject. A check with a lower cost goes to Redis. Only three events can change the decision of Redis:
/// - permits are given back: forget() handles those that are given back here;
/// - the limit becomes larger: a rule of another size does not see the entries of this one;
/// - an operator resets the counter, or another gateway gives back: kLongest bounds the life of each rejection. So the
///   error is bounded: a request may be rejected for one second although Redis has room again. No request passes that
///   Redis would reject.
///
/// A known rejection covers a higher cost, but does not tell its wait. If permits come back evenly, the wait is
/// computed (Algorithm::even). Otherwise the gateway checks each cost in Redis once and remembers the wait. At most
/// kCosts waits are remembered, so that a caller who always sends new costs cannot cause a check for each request. Any
/// other cost gets a longer wait than it needs: the wait of the next higher known cost, or the wait until the counter
/// is full. After such a wait the caller is allowed, unless others have taken permits meanwhile.
///
/// If there are too many rejections, the one that ends soonest is dropped. The next check of its key then goes to
/// Redis.
class KnownRejections {
 public:
  static constexpr Duration kLongest = std::chrono::seconds(1);
  static constexpr std::size_t kDefaultBound = 64UL * 1024;  ///< 121 bytes each; memory pages are touched as it fills
  static constexpr std::size_t kCosts = 4;                   ///< number of costs for each key

  explicit KnownRejections(std::size_t bound = kDefaultBound) : table_(bound) {}

  /// Records that Redis rejected `check`, sent at `asked` and answered at `now`, with `decision`. Redis decided between
  /// these two moments. The end of the rejection is counted from `asked`, so that it is never later than in Redis. The
  /// wait is counted from `now`.
  void put(const Check& check, const Decision& decision, Moment asked, Moment now);

  /// Returns whether `check` (cost above 0) is known to be rejected now. If so, `decision` is the one that Redis would
  /// return, with the remaining wait. Returns false as well if only Redis knows the wait.
  bool find(const Check& check, Moment now, Decision& decision) const;

  /// Records that Redis allowed `check` and left too little for the same cost once more. The record rejects nothing;
  /// only wait() uses it. Never replaces the entry of another key.
  void put_spent(const Check& check, const Decision& decision, Moment asked, Moment now);

  /// Returns for how long Redis rejects `check`, according to its last answer, even if that answer is too old for
  /// find(); 0 if not known. Used in the answer to a caller that another limit rejects.
  Duration wait(const Check& check, Moment now) const;

  /// Returns when the previously known rejection of `check` ended, if that is at most a second before `asked`. If Redis
  /// rejects it again, others have taken the permits that came back.
  std::optional<Moment> ended(const Check& check, Moment asked) const;

  /// Drops the entry of `hash`, because permits were (or may have been) given back to its counter.
  void forget(const Hash& hash) noexcept;
  /// Drops entries for other sizes of the rule of `check`, because Redis has decided the check with this size.
  void forget_other_sizes(const Check& check) noexcept;

  std::size_t size() const noexcept { return table_.size(); }

 private:
  struct Known {
    std::int64_t cost = 0;  ///< rejected cost; 0 if this entry and all entries after it are empty
    Moment allowed_at;      ///< Moment::max() if the wait is kNever
  };
  struct KnownRejection {
    Hash hash;
    std::uint64_t size = 0;  ///< size of the rule
    std::uint64_t limit = 0;
    std::uint64_t remaining = 0;
    Moment until;  ///< moment from which on the check goes to Redis again
    Moment full_at;
    std::array<Known, kCosts> costs;  ///< rejected costs in ascending order, and therefore sorted by moment
  };

  static std::optional<Moment> allowed_at(const KnownRejection& rejection, const Check& check) noexcept;
  static void learn(std::array<Known, kCosts>& costs, Known known, std::uint64_t remaining) noexcept;

  RecentTable<KnownRejection> table_;
};

}  // namespace headgate::limit
