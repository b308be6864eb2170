#pragma once
// Known denials: what Redis refused until a moment is refused here until then, without asking again. An attack on an
// exhausted key then costs Redis next to nothing.

#include "headgate/limit/limit.hpp"
#include "headgate/limit/recent_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

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
/// That a higher cost is refused is known, but not how long it must wait. Where what was taken comes back evenly, that
/// is computed (Algorithm::even); elsewhere Redis is asked once for each cost, and says it. So that no caller can make
/// every request a question by asking for ever other costs, that is done for kCosts of them; any other is told a longer
/// wait than it needs: that of the next higher cost known, or until all is back. Whoever waits as told, while nobody
/// else takes anything, is let through.
///
/// Above the bound the one that ends the soonest gives way, which costs one more question.
class Denials {
 public:
  static constexpr Duration kLongest = std::chrono::seconds(1);
  static constexpr std::size_t kUsualBound = 64UL * 1024;  ///< 121 bytes each, touched as they fill
  static constexpr std::size_t kCosts = 4;                 ///< of one key

  explicit Denials(std::size_t bound = kUsualBound) : table_(bound) {}

  /// `verdict` refused `ask`, which was sent at `asked` and answered at `now`. Redis decided somewhere between: the
  /// refusal is counted from the one, so that it never outlasts Redis's own, and the wait that is told from the other.
  void remember(const Ask& ask, const Verdict& verdict, Moment asked, Moment now);

  /// Whether `ask` (cost above 0) is known to be refused now; then `verdict` says what Redis would: the wait counted
  /// down. False also where Redis must be asked for its wait.
  bool find(const Ask& ask, Moment now, Verdict& verdict) const;

  /// Something was given back to the counter of `hash`, or may have come back to it.
  void forget(const Hash& hash) noexcept;
  /// Redis was heard of `ask`: what was remembered under another size of its rule holds no longer, for then the counter
  /// is kept under this one.
  void forget_other_sizes(const Ask& ask) noexcept;

  std::size_t size() const noexcept { return table_.size(); }

 private:
  struct Known {
    std::int64_t cost = 0;  ///< 0: none, and none behind it
    Moment allowed_at;      ///< kNever is Moment::max()
  };
  struct Denial {
    Hash hash;
    std::uint64_t size = 0;  ///< of the rule
    std::uint64_t limit = 0;
    std::uint64_t remaining = 0;
    Moment until;  ///< asked again from here on
    Moment full_at;
    std::array<Known, kCosts> costs;  ///< by cost, and so by moment
  };

  static std::optional<Moment> allowed_at(const Denial& denial, const Ask& ask) noexcept;
  static void learn(std::array<Known, kCosts>& costs, Known known, std::uint64_t remaining) noexcept;

  RecentTable<Denial> table_;
};

}  // namespace headgate::limit
