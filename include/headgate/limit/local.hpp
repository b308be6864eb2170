#pragma once
// Decisions without Redis, by known rejections and leases, both of which are updated from the answers of Redis. No I/O.
// Used by redis.

#include "headgate/limit/known_rejections.hpp"
#include "headgate/limit/leases.hpp"
#include "headgate/limit/limit.hpp"

#include <boost/container/static_vector.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

namespace headgate::limit {

/// A request on its way to Redis. Local fills it. If begin() returned Step::check, end() or abandon() must follow.
class PendingDecision {
 public:
  /// Takes at most kMaxRulesPerRequest checks. Both spans outlive this object.
  PendingDecision(std::span<const Check> checks, std::span<Decision> decisions)
      : checks_(checks), decisions_(decisions) {}
  PendingDecision(const PendingDecision&) = delete;
  PendingDecision& operator=(const PendingDecision&) = delete;

  /// Returns the checks for Redis; told() is the place for their decisions.
  std::span<const Check> sent() const noexcept { return {sent_.data(), sent_.size()}; }
  std::span<Decision> told() noexcept { return {told_.data(), told_.size()}; }
  /// Returns the lease to wait for after Step::wait.
  Leases::Id awaited() const noexcept { return awaited_; }
  /// Returns the leases that this call fetches. Requests that wait for one of them may go on after end().
  std::span<const Leases::Id> refilled() const noexcept { return {refilled_.data(), refilled_.size()}; }
  /// Ends the patience of the request: from now on, begin() returns `check` where it would return `wait`.
  void wait_no_longer() noexcept { patient_ = false; }

 private:
  friend class Local;

  enum class DecidedBy : std::uint8_t { check, leased, rejected };
  /// The state of one check.
  struct Part {
    DecidedBy decided_by = DecidedBy::check;
    std::int64_t ahead = 0;  ///< number of extra permits, beyond the cost of the check
    Leases::Id lease = Leases::kNone;
    Leases::Receipts receipts;  ///< permits taken from a lease
  };

  std::span<const Check> checks_;
  std::span<Decision> decisions_;
  bool counted_ = false;
  bool patient_ = true;
  bool learns_ = true;  ///< false if Redis decided only the sum of several checks
  Leases::Id awaited_ = Leases::kNone;
  Moment asked_;
  boost::container::static_vector<Part, kMaxRulesPerRequest> parts_;  ///< one for each check
  boost::container::static_vector<Check, kMaxRulesPerRequest> sent_;
  boost::container::static_vector<Decision, kMaxRulesPerRequest> told_;
  boost::container::static_vector<Leases::Id, kMaxRulesPerRequest> refilled_;
};

/// The known rejections and leases of one worker; not thread-safe. A decision has two steps:
/// - begin() returns `rejected` if a check is known to be rejected, and `allowed` if leases cover all checks. After
///   `check`, send sent() to Redis. After `wait`, wait for the lease that is on its way, then call begin() again.
/// - end() takes the answer of Redis and returns the result. After `check`, send sent() again, now without the extra
///   permits.
///
/// A call takes all or nothing: if Redis rejects the checks that it gets, or does not answer, permits from leases are
/// put back. If one call names a counter twice, Redis always decides about the counter, and only the sum of the costs
/// counts.
///
/// A peek (Check::peek) takes the same steps and returns what the next decision here would return. Permits of an
/// expired lease are given back before a peek or a decision is sent.
class Local {
 public:
  explicit Local(const LeaseOptions& options) : leases_(options) {}

  enum class Step : std::uint8_t { allowed, rejected, failed, wait, check };
  enum class Answer : std::uint8_t { agreed, rejected, none };

  /// Decides if it can be done here; otherwise returns empty and changes nothing. `decisions` may be written in both
  /// cases. After a rejection found here, the decisions of checks that were not examined say "allowed", with an unused
  /// counter.
  std::optional<bool> decide(std::span<const Check> checks, Moment now, std::span<Decision> decisions);

  Step begin(PendingDecision& pending, Moment now);
  /// Ends a call. `pending.told()` is filled unless the answer is none. Returns allowed, rejected, failed (no answer)
  /// or check.
  Step end(PendingDecision& pending, Answer answer, Moment now);
  /// Ends a call because nobody waits for its answer any more.
  void abandon(PendingDecision& pending);

  /// Takes the result of a refill from leases().next_refill(), sent at `asked`. `decision` is valid unless the answer
  /// is none.
  void fetched(const Leases::PendingRefill& refill, Answer answer, const Decision& decision, Moment asked, Moment now);

  /// Records that permits were given back to these counters, whatever Redis answered.
  void given_back(std::span<const Check> checks) noexcept;

  Leases& leases() noexcept { return leases_; }
  const KnownRejections& rejections() const noexcept { return rejections_; }

  /// Returns the number of calls that were rejected here. Any thread.
  std::uint64_t rejected() const noexcept { return rejected_.load(std::memory_order_relaxed); }
  /// Returns the number of checks that leases decided. Any thread.
  std::uint64_t leased() const noexcept { return leased_.load(std::memory_order_relaxed); }

 private:
  /// The way in which one check could be decided.
  struct Found {
    PendingDecision::DecidedBy decided_by = PendingDecision::DecidedBy::check;
    Leases::Look look;
  };
  using Finds = boost::container::static_vector<Found, kMaxRulesPerRequest>;

  Step find(std::span<const Check> checks, Moment now, std::span<Decision> decisions, Finds& found);
  bool answer(Step step, std::span<const Check> checks, Moment now, std::span<Decision> decisions, const Finds& found);
  void reject(std::span<const Check> checks, Moment now, std::span<Decision> decisions, const Finds& found);
  bool asks_for_less(PendingDecision& pending, Moment now);
  Duration wait_to_tell(const PendingDecision& pending, const Check& check, const Decision& decision, Moment now) const;
  Step end_peek(PendingDecision& pending, Answer answer, Moment now);
  Leases::Receipts take(const Check& check, Leases::Id lease, Moment now, Decision& decision);
  void put_back(PendingDecision& pending);
  void lend_no_longer(const PendingDecision& pending) noexcept;
  void send(PendingDecision& pending, const Check& check, const Found& found, Moment now, Decision& decision);
  void learn(const PendingDecision& pending, const PendingDecision::Part& part, const Check& check, Decision& decision,
             Moment now);

  KnownRejections rejections_;
  Leases leases_;
  std::atomic<std::uint64_t> rejected_{0};
  std::atomic<std::uint64_t> leased_{0};
};

}  // namespace headgate::limit
