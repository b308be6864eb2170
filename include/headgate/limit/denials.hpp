#pragma once
// Known denials: what Redis refused until a moment is refused here until then, without asking again. An attack on an
// exhausted key then costs Redis next to nothing.

#include "headgate/limit/limit.hpp"
#include "headgate/limit/recent_table.hpp"

#include <cstddef>
#include <cstdint>

namespace headgate::limit {

/// Remembers refusals. One a worker; not thread-safe; no allocation after construction.
///
/// A refusal of a cost says until when that cost, and every higher one, is refused: others can only take more
/// meanwhile. So until then it is repeated here, and a request is refused exactly when Redis would have refused it. A
/// lower cost is not covered, and is asked. Only three things can make Redis change its mind: something is given back,
/// an operator resets the counter, or the limit becomes larger. What is given back here is told with forget(); a rule
/// of another size never sees what was remembered for this one; for what happens elsewhere each refusal is remembered
/// for at most kLongest, after which the next request asks again. So the harm is bounded: refused for a second though
/// there was room again, and never let through though there was none.
///
/// Above the bound the one that ends the soonest gives way, which costs one more question.
class Denials {
 public:
  static constexpr Duration kLongest = std::chrono::seconds(1);
  static constexpr std::size_t kUsualBound = 64UL * 1024;  ///< 73 bytes each, touched as they fill

  explicit Denials(std::size_t bound = kUsualBound) : table_(bound) {}

  /// `verdict` refused `ask`, which was sent at `asked`: the wait is counted from there, so that it never ends late.
  /// Held for at least `least`: see Leases::pace().
  void remember(const Ask& ask, const Verdict& verdict, Moment asked, Duration least = Duration(0));

  /// Whether `ask` (cost above 0) is known to be refused now; then `verdict` says what Redis would: the wait counted
  /// down. For a higher cost than the one that was asked the wait is longer by what the difference takes to come back
  /// at the rule's rate, and ends at the latest when the counter is as if never used.
  bool find(const Ask& ask, Moment now, Verdict& verdict) const;

  /// Something was given back to the counter of `hash`.
  void forget(const Hash& hash) noexcept;

  std::size_t size() const noexcept { return table_.size(); }

 private:
  struct Denial {
    Hash hash;
    std::uint64_t size = 0;  ///< of the rule
    std::int64_t cost = 0;
    std::uint64_t limit = 0;
    std::uint64_t remaining = 0;
    Moment until;       ///< asked again from here on
    Moment allowed_at;  ///< kNever is Moment::max()
    Moment full_at;
  };

  RecentTable<Denial> table_;
};

}  // namespace headgate::limit
