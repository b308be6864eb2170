#pragma once
// What can be decided without Redis, and what is learned from its answers: known denials and leases together. No I/O.

#include "headgate/limit/denials.hpp"
#include "headgate/limit/leases.hpp"
#include "headgate/limit/limit.hpp"

#include <boost/container/static_vector.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

namespace headgate::limit {

/// One request on its way to Redis. Local fills it; it must be handed to end() or abandon() once begin() said ask.
class Attempt {
 public:
  /// At most kMaxRulesPerRequest asks; both spans outlive it.
  Attempt(std::span<const Ask> asks, std::span<Verdict> verdicts) : asks_(asks), verdicts_(verdicts) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  /// What is to be asked, and where the answers belong.
  std::span<const Ask> sent() const noexcept { return {sent_.data(), sent_.size()}; }
  std::span<Verdict> told() noexcept { return {told_.data(), told_.size()}; }
  /// The lease to wait for, after Step::wait.
  Leases::Id awaited() const noexcept { return awaited_; }
  /// Leases that were asked for with it: who waits for one of them may go on after end().
  std::span<const Leases::Id> asked_for() const noexcept { return {asked_for_.data(), asked_for_.size()}; }
  /// It has waited long enough: begin() will not say wait.
  void wait_no_longer() noexcept { patient_ = false; }

 private:
  friend class Local;

  enum class Way : std::uint8_t { ask, leased, denied };
  /// What became of one ask.
  struct Part {
    Way way = Way::ask;
    std::int64_t ahead = 0;  ///< asked for beyond its cost
    Leases::Id lease = Leases::kNone;
    Leases::Receipts receipts;  ///< what of it came from a lease
  };

  std::span<const Ask> asks_;
  std::span<Verdict> verdicts_;
  bool counted_ = false;
  bool patient_ = true;
  bool learns_ = true;  ///< not where only the sum of several asks was decided
  Leases::Id awaited_ = Leases::kNone;
  Moment asked_;
  boost::container::static_vector<Part, kMaxRulesPerRequest> parts_;  ///< one an ask
  boost::container::static_vector<Ask, kMaxRulesPerRequest> sent_;
  boost::container::static_vector<Verdict, kMaxRulesPerRequest> told_;
  boost::container::static_vector<Leases::Id, kMaxRulesPerRequest> asked_for_;
};

/// The memory of one worker; not thread-safe. The steps of a decision are
///
///   begin   refused: an ask is known to be denied. allowed: all came from leases. Else ask sent() in Redis, or wait
///           for a lease that is coming and begin again.
///   end     Redis answered: done, or ask sent() again without the extra for leases.
///
/// All or nothing holds throughout: what came from leases is put back where Redis refuses the rest or is away.
/// Counters that one call names twice, which only their sum decides, are always asked.
class Local {
 public:
  explicit Local(const LeaseOptions& options) : leases_(options) {}

  enum class Step : std::uint8_t { allowed, refused, failed, wait, ask };
  enum class Answer : std::uint8_t { agreed, refused, none };

  /// The decision, where it can be made here; else nothing happens. `verdicts` may be written to in any case. What a
  /// refusal found here says of the asks that were not asked: allowed, and nothing used.
  std::optional<bool> decide(std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts);

  Step begin(Attempt& attempt, Moment now);
  /// `told` is filled where the answer is not none. Allowed, refused, failed (no answer) or ask.
  Step end(Attempt& attempt, Answer answer, Moment now);
  /// Nobody waits for the answer any more.
  void abandon(Attempt& attempt);

  /// What came of an errand of leases().next_refill(), sent at `asked`; `verdict` counts where the answer is not none.
  void fetched(const Leases::Errand& errand, Answer answer, const Verdict& verdict, Moment asked, Moment now);

  /// Something was given back to these counters, whatever Redis answered.
  void given_back(std::span<const Ask> asks) noexcept;

  Leases& leases() noexcept { return leases_; }
  const Denials& denials() const noexcept { return denials_; }

  std::uint64_t denied() const noexcept { return denied_.load(std::memory_order_relaxed); }  ///< calls; any thread
  std::uint64_t leased() const noexcept { return leased_.load(std::memory_order_relaxed); }  ///< asks; any thread

 private:
  /// How one ask could be answered.
  struct Found {
    Attempt::Way way = Attempt::Way::ask;
    Leases::Look look;
  };
  using Finds = boost::container::static_vector<Found, kMaxRulesPerRequest>;

  Step find(std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts, Finds& found);
  bool answer(Step step, std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts, const Finds& found);
  void refuse(std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts, const Finds& found);
  Leases::Receipts take(const Ask& ask, Leases::Id lease, Moment now, Verdict& verdict);
  void put_back(Attempt& attempt);
  void send(Attempt& attempt, const Ask& ask, const Found& found, Moment now, Verdict& verdict);
  void learn(const Attempt& attempt, const Attempt::Part& part, const Ask& ask, Verdict& verdict, Moment now);

  Denials denials_;
  Leases leases_;
  std::atomic<std::uint64_t> denied_{0};
  std::atomic<std::uint64_t> leased_{0};
};

}  // namespace headgate::limit
