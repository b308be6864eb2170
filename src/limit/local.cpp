#include "headgate/limit/local.hpp"

#include "merge.hpp"
#include "refill.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {
namespace {

/// Returns whether two of the checks name the same counter.
bool names_one_twice(std::span<const Check> checks) noexcept {
  for (std::size_t i = 1; i < checks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (checks[i].hash == checks[j].hash) return true;
  return false;
}

/// Returns the decision for a rule that was not checked because another rule rejected the request.
Decision not_checked(const Check& check) noexcept {
  Decision decision;
  decision.allowed = true;
  decision.checked = false;
  decision.limit = check.rule->burst;
  decision.remaining = check.rule->burst;
  return decision;
}

/// Extends the wait of a request of which a lease covered the part `cost`, so that Redis reported only the wait for the
/// rest. At another gateway, which has no such lease, the whole cost must be available.
void wait_for_all(const Rule& rule, std::int64_t cost, Decision& decision) noexcept {
  if (decision.allowed || cost == 0 || !rule.algorithm->even || decision.retry_after >= kNever) return;
  decision.retry_after += Duration(round_up(time_of(cost, rule.rate)));
}

/// Replaces the wait. The time of the reset is at least as long, because the counter cannot equal an unused one before
/// this wait has passed.
void tell_instead(Decision& decision, Duration wait) noexcept {
  decision.retry_after = wait;
  decision.reset_after = std::max(decision.reset_after, wait);
}

/// Adds to a counter that only one thread writes; other threads only read it.
void add(std::atomic<std::uint64_t>& counter, std::uint64_t more) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

Local::Step Local::find(std::span<const Check> checks, Moment now, std::span<Decision> decisions, Finds& found) {
  found.resize(checks.size());
  if (std::ranges::any_of(checks, counts_rejected)) return Step::check;  // Redis must count each attempt exactly once
  bool rejected = false;
  bool later = false;
  bool uses_redis = false;
  bool waits = false;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const Check& check = checks[i];
    if (Leases::leasable(check)) found[i].look = leases_.look(check, now);
    if (found[i].look.state == Leases::LeaseState::held) {
      found[i].decided_by = PendingDecision::DecidedBy::leased;
    } else if (check.cost > 0 && !already_through(check) && rejections_.find(check, now, decisions[i])) {
      found[i].decided_by = PendingDecision::DecidedBy::rejected;
      tell_instead(decisions[i], Leases::told_here(check, decisions[i].retry_after));
      rejected = rejected || check.how == How::take;
    } else if (found[i].look.state == Leases::LeaseState::later) {
      found[i].decided_by = PendingDecision::DecidedBy::rejected;
      leases_.tell_later(check, found[i].look.lease, now, decisions[i]);
      later = true;
    } else if (found[i].look.state == Leases::LeaseState::coming) {
      waits = true;
    } else {
      uses_redis = true;
    }
  }
  if (later && !rejected && uses_redis) {  // the other checks may have a longer wait
    for (auto& each : found)
      if (each.look.state == Leases::LeaseState::later) each.decided_by = PendingDecision::DecidedBy::check;
    later = false;
  }
  if (rejected || later) return Step::rejected;
  if (uses_redis) return Step::check;
  return waits ? Step::wait : Step::allowed;
}

void Local::reject(std::span<const Check> checks, Moment now, std::span<Decision> decisions, const Finds& found) {
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (found[i].decided_by == PendingDecision::DecidedBy::leased) {
      leases_.tell(checks[i], found[i].look.lease, now, decisions[i]);
      continue;
    }
    if (Leases::leasable(checks[i]) && !checks[i].peek)
      leases_.count(checks[i], now,
                    found[i].decided_by == PendingDecision::DecidedBy::rejected ? Leases::Came::too_early
                                                                                : Leases::Came::in_time);
    if (found[i].decided_by == PendingDecision::DecidedBy::check) decisions[i] = not_checked(checks[i]);
  }
}

bool Local::answer(Step step, std::span<const Check> checks, Moment now, std::span<Decision> decisions,
                   const Finds& found) {
  if (step == Step::rejected) {
    reject(checks, now, decisions, found);
    if (!is_peek(checks)) add(rejected_, 1);
    return false;
  }
  std::uint64_t leased = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (found[i].decided_by != PendingDecision::DecidedBy::leased) continue;
    take(checks[i], found[i].look.lease, now, decisions[i]);
    leased += checks[i].peek ? 0 : 1;
  }
  add(leased_, leased);
  return true;
}

std::optional<bool> Local::decide(std::span<const Check> checks, Moment now, std::span<Decision> decisions) {
  if (checks.size() > kMaxRulesPerRequest || names_one_twice(checks)) return {};
  Finds found;
  const Step step = find(checks, now, decisions, found);
  if (step != Step::rejected && step != Step::allowed) return {};
  return answer(step, checks, now, decisions, found);
}

Local::Step Local::begin(PendingDecision& pending, Moment now) {
  const auto checks = pending.checks_;
  Finds found;
  Step step = Step::check;
  pending.learns_ = !names_one_twice(checks);
  if (pending.learns_) {
    step = find(checks, now, pending.decisions_, found);
  } else {
    found.resize(checks.size());
  }
  if (step == Step::rejected || step == Step::allowed) {
    answer(step, checks, now, pending.decisions_, found);
    return step;
  }
  if (!std::exchange(pending.counted_, true) && !is_peek(checks))
    for (std::size_t i = 0; i < checks.size(); ++i) {
      if (found[i].look.state == Leases::LeaseState::coming) {
        leases_.came_together(checks[i]);
      } else if (found[i].decided_by == PendingDecision::DecidedBy::check && Leases::leasable(checks[i])) {
        leases_.count(checks[i], now);
      }
    }
  if (step == Step::wait && pending.patient_) {
    for (const auto& each : found)
      if (each.look.state == Leases::LeaseState::coming) pending.awaited_ = each.look.lease;
    return Step::wait;
  }
  pending.asked_ = now;
  for (std::size_t i = 0; i < checks.size(); ++i) send(pending, checks[i], found[i], now, pending.decisions_[i]);
  return Step::check;
}

Leases::Receipts Local::take(const Check& check, Leases::Id lease, Moment now, Decision& decision) {
  if (check.peek) {
    leases_.tell(check, lease, now, decision, check.cost);
    return {};
  }
  if (leases_.counted_on(lease)) rejections_.forget(check.hash);  // a remembered wait of a higher cost is too short now
  return leases_.take(check, lease, now, decision);
}

void Local::send(PendingDecision& pending, const Check& check, const Found& found, Moment now, Decision& decision) {
  auto& part = pending.parts_.emplace_back();
  part.decided_by = found.decided_by;
  if (part.decided_by == PendingDecision::DecidedBy::leased)
    part.receipts = take(check, found.look.lease, now, decision);
  leases_.count_lent(part.receipts, 1);
  if (part.decided_by != PendingDecision::DecidedBy::check) return;
  pending.sent_.push_back(check);
  pending.told_.emplace_back();
  // For leasable checks, the lease was already expired. A check with cost 0 only reports the remaining permits, like a
  // peek.
  if (check.rule->leases && (check.peek || (check.cost == 0 && check.how == How::take))) leases_.expire(check, now);
  if (check.peek) {
    if (!pending.learns_ || !Leases::leasable(check)) return;
    const auto seen = leases_.see(check, now);
    if (found.look.state == Leases::LeaseState::worth && seen.may_begin) part.ahead = found.look.ahead;
    pending.sent_.back().cost += part.ahead - seen.part;
    return;
  }
  if (pending.learns_ && Leases::leasable(check)) {
    const auto here = leases_.take_part(check, now);
    pending.sent_.back().cost -= here.tokens;
    part.receipts = here.receipts;
    leases_.count_lent(part.receipts, 1);
  }
  if (found.look.state != Leases::LeaseState::worth) return;
  part.lease = leases_.begin(check, now);
  if (part.lease == Leases::kNone) return;
  part.ahead = found.look.ahead;
  pending.sent_.back().cost += part.ahead;
  pending.refilled_.push_back(part.lease);
}

/// Returns whether extra permits were rejected. If so, removes them from the call, so that no request is rejected
/// because of permits for later requests.
bool Local::asks_for_less(PendingDecision& pending, Moment now) {
  bool greedy = false;
  std::size_t at = 0;
  for (const auto& part : pending.parts_) {
    if (part.decided_by != PendingDecision::DecidedBy::check) continue;
    const auto& told = pending.told_[at++];
    if (part.ahead == 0 || told.allowed) continue;
    if (part.lease != Leases::kNone) leases_.rejected(part.lease, told, now);  // the check of a peek has no lease
    greedy = true;
  }
  at = 0;
  if (greedy)
    for (auto& part : pending.parts_)
      if (part.decided_by == PendingDecision::DecidedBy::check)
        pending.sent_[at++].cost -= std::exchange(part.ahead, 0);
  return greedy;
}

/// Returns the wait for the caller. The wait that Redis reported is exact. The result is longer if this gateway may
/// reserve the permits that come back next, or if others took the permits that came back last. If all callers were told
/// the same moment, they would come back together, and the nearest gateway would always be first.
Duration Local::wait_to_tell(const PendingDecision& pending, const Check& check, const Decision& decision,
                             Moment now) const {
  const Duration wait = decision.retry_after;
  if (decision.allowed || !check.rule->leases || check.how != How::take || wait >= kNever) return wait;
  if (leases_.is_contended(check, decision, now)) return Leases::told_here(check, wait);
  const auto ended = rejections_.ended(check, pending.asked_);
  return ended ? wait + leases_.spread(check, *ended) : wait;
}

/// Ends a peek, from which no rejection is remembered. The permits that are held here are added to its answer, as in
/// learn().
Local::Step Local::end_peek(PendingDecision& pending, Answer answer, Moment now) {
  if (answer == Answer::none) return Step::failed;
  if (answer == Answer::rejected && asks_for_less(pending, now)) return Step::check;
  std::size_t at = 0;
  for (std::size_t i = 0; i < pending.parts_.size(); ++i) {
    if (pending.parts_[i].decided_by != PendingDecision::DecidedBy::check) continue;
    const Check& check = pending.checks_[i];
    Decision& decision = pending.decisions_[i] = pending.told_[at++];
    if (!pending.learns_ || !check.rule->leases || check.how != How::take || check.cost < 0) continue;
    const auto seen = leases_.see(check, now);
    wait_for_all(*check.rule, seen.part, decision);
    tell_instead(decision, wait_to_tell(pending, check, decision, now));
    const auto left =
        seen.held + seen.going_back + (answer == Answer::agreed ? pending.parts_[i].ahead - seen.part : 0);
    decision.remaining = std::min(decision.limit, decision.remaining + static_cast<std::uint64_t>(left));
  }
  return answer == Answer::agreed ? Step::allowed : Step::rejected;
}

Local::Step Local::end(PendingDecision& pending, Answer answer, Moment now) {
  if (is_peek(pending.checks_)) return end_peek(pending, answer, now);
  if (answer == Answer::rejected && asks_for_less(pending, now)) {
    pending.asked_ = now;
    return Step::check;
  }
  if (answer != Answer::agreed) put_back(pending);
  lend_no_longer(pending);
  given_back(pending.checks_);
  std::size_t at = 0;
  for (std::size_t i = 0; i < pending.parts_.size(); ++i) {
    const auto& part = pending.parts_[i];
    if (part.decided_by == PendingDecision::DecidedBy::leased && answer == Answer::agreed) {
      add(leased_, 1);
      rejections_.forget(pending.checks_[i].hash);  // the remembered waits of higher costs are too short now
    }
    if (part.decided_by != PendingDecision::DecidedBy::check) continue;
    const Decision& told = pending.told_[at++];
    if (answer != Answer::none) {
      pending.decisions_[i] = told;
      if (answer == Answer::agreed && part.ahead > 0) leases_.granted(part.lease, part.ahead, told, pending.asked_);
    } else if (part.lease != Leases::kNone) {
      leases_.failed(part.lease, now);
    }
    if (part.lease != Leases::kNone) leases_.ended(part.lease);
    if (answer != Answer::none && pending.learns_) learn(pending, part, pending.checks_[i], pending.decisions_[i], now);
  }
  return answer == Answer::none ? Step::failed : answer == Answer::agreed ? Step::allowed : Step::rejected;
}

void Local::abandon(PendingDecision& pending) {
  if (is_peek(pending.checks_)) return;
  put_back(pending);
  lend_no_longer(pending);
  given_back(pending.checks_);
  for (const auto lease : pending.refilled_) leases_.ended(lease);
}

void Local::put_back(PendingDecision& pending) {
  for (auto& part : pending.parts_)
    for (const auto& receipt : part.receipts) leases_.put_back(receipt);
}

void Local::lend_no_longer(const PendingDecision& pending) noexcept {
  for (const auto& part : pending.parts_) leases_.count_lent(part.receipts, -1);
}

void Local::fetched(const Leases::PendingRefill& refill, Answer answer, const Decision& decision, Moment asked,
                    Moment now) {
  if (answer == Answer::none) {
    leases_.failed(refill.lease, now);
  } else if (refill.check.how == How::debt) {
    leases_.reserved(refill.lease, refill.check.cost, decision, asked, now);
  } else if (answer == Answer::agreed) {
    leases_.granted(refill.lease, refill.check.cost, decision, asked);
    rejections_.forget(refill.check.hash);
  } else {
    leases_.rejected(refill.lease, decision, now);
  }
  leases_.ended(refill.lease);
}

void Local::given_back(std::span<const Check> checks) noexcept {
  for (const Check& check : checks) {
    if (check.cost >= 0) continue;
    rejections_.forget(check.hash);
    leases_.given_back(check.hash);
  }
}

/// Learns from the decision of Redis, and adds the permits that are held here to it.
void Local::learn(const PendingDecision& pending, const PendingDecision::Part& part, const Check& check,
                  Decision& decision, Moment now) {
  const bool leasable = Leases::leasable(check);
  std::int64_t from_lease = 0;
  for (const auto& receipt : part.receipts) from_lease += receipt.tokens;
  wait_for_all(*check.rule, from_lease, decision);
  const bool contended = leasable && part.ahead == 0 && leases_.is_contended(check, decision, now);
  const Duration told = wait_to_tell(pending, check, decision, now);
  if (leasable && part.ahead == 0) leases_.told(check, decision);
  if (leasable) {
    const auto here = static_cast<std::uint64_t>(leases_.held(check.hash, now) + leases_.going_back(check.hash, now));
    decision.remaining = std::min(decision.limit, decision.remaining + here);
  }
  if (check.cost <= 0 || already_through(check)) return rejections_.forget_other_sizes(check);
  if (contended) leases_.runs_out(check, now);
  if (decision.allowed) {
    rejections_.forget(check.hash);  // the remembered wait of a higher rejected cost is too short now
    const bool here = leasable && (part.ahead > 0 || leases_.held(check.hash, now) > 0);
    if (decision.again_after > Duration(0) && !here) rejections_.put_spent(check, decision, pending.asked_, now);
    return;
  }
  // If permits do not refill, no rejection is remembered, because a request may give its permit back at any moment.
  if (check.rule->algorithm->refills) rejections_.put(check, decision, pending.asked_, now);
  tell_instead(decision, told);
}

}  // namespace headgate::limit
