#include "headgate/limit/local.hpp"

#include "merge.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {
namespace {

/// Whether two asks mean one counter.
bool names_one_twice(std::span<const Ask> asks) noexcept {
  for (std::size_t i = 1; i < asks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (asks[i].hash == asks[j].hash) return true;
  return false;
}

/// What is said of a rule that was not asked because another refused.
Verdict unasked(const Ask& ask) noexcept {
  Verdict verdict;
  verdict.allowed = true;
  verdict.limit = ask.rule->burst;
  verdict.remaining = ask.rule->burst;
  return verdict;
}

/// The only writer adds: others may read meanwhile.
void add(std::atomic<std::uint64_t>& counter, std::uint64_t more) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

Local::Step Local::find(std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts, Finds& found) {
  found.resize(asks.size());
  bool refused = false;
  bool later = false;
  bool asks_redis = false;
  bool waits = false;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    const Ask& ask = asks[i];
    if (Leases::leasable(ask)) found[i].look = leases_.look(ask, now);
    if (found[i].look.standing == Leases::Standing::held) {
      found[i].way = Attempt::Way::leased;
    } else if (ask.cost > 0 && !already_through(ask) && denials_.find(ask, now, verdicts[i])) {
      found[i].way = Attempt::Way::denied;
      refused = refused || ask.how == How::take;
    } else if (found[i].look.standing == Leases::Standing::later) {
      found[i].way = Attempt::Way::denied;
      leases_.tell_later(ask, found[i].look.lease, now, verdicts[i]);
      later = true;
    } else if (found[i].look.standing == Leases::Standing::coming) {
      waits = true;
    } else {
      asks_redis = true;
    }
  }
  if (later && !refused && asks_redis) {  // of those others nothing is known: they may have to wait longer
    for (auto& each : found)
      if (each.look.standing == Leases::Standing::later) each.way = Attempt::Way::ask;
    later = false;
  }
  if (refused || later) return Step::refused;
  if (asks_redis) return Step::ask;
  return waits ? Step::wait : Step::allowed;
}

void Local::refuse(std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts, const Finds& found) {
  for (std::size_t i = 0; i < asks.size(); ++i) {
    if (found[i].way == Attempt::Way::leased) {
      leases_.tell(asks[i], found[i].look.lease, now, verdicts[i]);
      continue;
    }
    if (Leases::leasable(asks[i])) leases_.count(asks[i], now);
    if (found[i].way == Attempt::Way::ask) verdicts[i] = unasked(asks[i]);
  }
}

bool Local::answer(Step step, std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts, const Finds& found) {
  if (step == Step::refused) {
    refuse(asks, now, verdicts, found);
    add(denied_, 1);
    return false;
  }
  std::uint64_t leased = 0;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    if (found[i].way != Attempt::Way::leased) continue;
    take(asks[i], found[i].look.lease, now, verdicts[i]);
    ++leased;
  }
  add(leased_, leased);
  return true;
}

std::optional<bool> Local::decide(std::span<const Ask> asks, Moment now, std::span<Verdict> verdicts) {
  if (asks.size() > kMaxRulesPerRequest || names_one_twice(asks)) return {};
  Finds found;
  const Step step = find(asks, now, verdicts, found);
  if (step != Step::refused && step != Step::allowed) return {};
  return answer(step, asks, now, verdicts, found);
}

Local::Step Local::begin(Attempt& attempt, Moment now) {
  const auto asks = attempt.asks_;
  Finds found;
  Step step = Step::ask;
  attempt.learns_ = !names_one_twice(asks);
  if (attempt.learns_) {
    step = find(asks, now, attempt.verdicts_, found);
  } else {
    found.resize(asks.size());
  }
  if (step == Step::refused || step == Step::allowed) {
    answer(step, asks, now, attempt.verdicts_, found);
    return step;
  }
  if (!std::exchange(attempt.counted_, true))
    for (std::size_t i = 0; i < asks.size(); ++i)
      if (found[i].way == Attempt::Way::ask && Leases::leasable(asks[i])) leases_.count(asks[i], now);
  if (step == Step::wait && attempt.patient_) {
    for (const auto& each : found)
      if (each.look.standing == Leases::Standing::coming) attempt.awaited_ = each.look.lease;
    return Step::wait;
  }
  attempt.asked_ = now;
  for (std::size_t i = 0; i < asks.size(); ++i) send(attempt, asks[i], found[i], now, attempt.verdicts_[i]);
  return Step::ask;
}

Leases::Receipts Local::take(const Ask& ask, Leases::Id lease, Moment now, Verdict& verdict) {
  if (leases_.counted_on(lease)) denials_.forget(ask.hash);  // a higher cost waits longer now
  return leases_.take(ask, lease, now, verdict);
}

void Local::send(Attempt& attempt, const Ask& ask, const Found& found, Moment now, Verdict& verdict) {
  auto& part = attempt.parts_.emplace_back();
  part.way = found.way;
  if (part.way == Attempt::Way::leased) part.receipts = take(ask, found.look.lease, now, verdict);
  if (part.way != Attempt::Way::ask) return;
  attempt.sent_.push_back(ask);
  attempt.told_.emplace_back();
  if (attempt.learns_ && Leases::leasable(ask)) {
    const auto here = leases_.take_part(ask, now);
    attempt.sent_.back().cost -= here.tokens;
    part.receipts = here.receipts;
  }
  if (found.look.standing != Leases::Standing::worth) return;
  part.lease = leases_.begin(ask, now);
  if (part.lease == Leases::kNone) return;
  part.ahead = found.look.ahead;
  attempt.sent_.back().cost += part.ahead;
  attempt.asked_for_.push_back(part.lease);
}

Local::Step Local::end(Attempt& attempt, Answer answer, Moment now) {
  if (answer == Answer::refused) {
    bool greedy = false;
    std::size_t at = 0;
    for (auto& part : attempt.parts_) {
      if (part.way != Attempt::Way::ask) continue;
      const auto& told = attempt.told_[at++];
      if (part.ahead == 0 || told.allowed) continue;
      leases_.refused(part.lease, told, now);
      greedy = true;
    }
    if (greedy) {  // nobody is refused for what others may want later
      at = 0;
      for (auto& part : attempt.parts_)
        if (part.way == Attempt::Way::ask) attempt.sent_[at++].cost -= std::exchange(part.ahead, 0);
      attempt.asked_ = now;
      return Step::ask;
    }
  }
  if (answer != Answer::agreed) put_back(attempt);
  given_back(attempt.asks_);
  std::size_t at = 0;
  for (std::size_t i = 0; i < attempt.parts_.size(); ++i) {
    const auto& part = attempt.parts_[i];
    if (part.way == Attempt::Way::leased && answer == Answer::agreed) {
      add(leased_, 1);
      denials_.forget(attempt.asks_[i].hash);  // of the others something was taken since it was heard
    }
    if (part.way != Attempt::Way::ask) continue;
    const Verdict& told = attempt.told_[at++];
    if (answer != Answer::none) {
      attempt.verdicts_[i] = told;
      if (answer == Answer::agreed && part.ahead > 0) leases_.granted(part.lease, part.ahead, told, attempt.asked_);
    } else if (part.lease != Leases::kNone) {
      leases_.failed(part.lease, now);
    }
    if (part.lease != Leases::kNone) leases_.ended(part.lease);
    if (answer != Answer::none && attempt.learns_) learn(attempt, part, attempt.asks_[i], attempt.verdicts_[i], now);
  }
  return answer == Answer::none ? Step::failed : answer == Answer::agreed ? Step::allowed : Step::refused;
}

void Local::abandon(Attempt& attempt) {
  put_back(attempt);
  given_back(attempt.asks_);
  for (const auto lease : attempt.asked_for_) leases_.ended(lease);
}

void Local::put_back(Attempt& attempt) {
  for (auto& part : attempt.parts_)
    for (const auto& receipt : part.receipts) leases_.put_back(receipt);
}

void Local::fetched(const Leases::Errand& errand, Answer answer, const Verdict& verdict, Moment asked, Moment now) {
  if (answer == Answer::none) {
    leases_.failed(errand.lease, now);
  } else if (errand.ask.how == How::debt) {
    leases_.reserved(errand.lease, errand.ask.cost, verdict, asked, now);
  } else if (answer == Answer::agreed) {
    leases_.granted(errand.lease, errand.ask.cost, verdict, asked);
    denials_.forget(errand.ask.hash);
  } else {
    leases_.refused(errand.lease, verdict, now);
  }
  leases_.ended(errand.lease);
}

void Local::given_back(std::span<const Ask> asks) noexcept {
  for (const Ask& ask : asks) {
    if (ask.cost >= 0) continue;
    denials_.forget(ask.hash);
    leases_.given_back(ask.hash);
  }
}

/// And tells of what is held here besides.
void Local::learn(const Attempt& attempt, const Attempt::Part& part, const Ask& ask, Verdict& verdict, Moment now) {
  const bool leasable = Leases::leasable(ask);
  if (leasable && part.ahead == 0) leases_.told(ask, verdict);
  if (leasable) {
    const auto held = static_cast<std::uint64_t>(leases_.held(ask.hash, now));
    verdict.remaining = std::min(verdict.limit, verdict.remaining + held);
  }
  if (ask.cost <= 0 || already_through(ask)) return denials_.forget_other_sizes(ask);
  if (leasable && part.ahead == 0) leases_.runs_out(ask, verdict, now);
  if (verdict.allowed) return denials_.forget(ask.hash);  // a higher cost, refused before, now waits longer
  denials_.remember(ask, verdict, attempt.asked_, now);
}

}  // namespace headgate::limit
