#include "headgate/limit/leases.hpp"

#include "lease.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSecond = 1s;
constexpr Duration kRest = 10ms;  // after a refusal of more: others want the rest too
constexpr unsigned kMostCaution = 2;
constexpr Duration kLongestQueue = 2s;  // of what others have reserved, or owe

/// Whether all that was taken comes back at one moment, and not bit by bit: then a lease ends there too.
bool starts_anew(const Rule& rule) {
  const Instant any{Duration(1'795'238'424'123'456)};
  const auto over = [&](std::int64_t cost) {
    State state;
    return rule.algorithm->commit(state, rule, cost, Taken::yes, any, rule.algorithm->peek(state, rule, cost, any));
  };
  return rule.burst > 1 && over(1) == over(static_cast<std::int64_t>(rule.burst));
}

Duration until(Moment moment, Moment now) noexcept {
  return moment > now ? std::chrono::ceil<Duration>(moment - now) : Duration(0);
}

}  // namespace

Leases::Leases(const LeaseOptions& options) : options_(options), heat_(options.max_keys) {
  options_.sharers = std::max<std::uint32_t>(options_.sharers, 1);
}
Leases::~Leases() = default;

bool Leases::leasable(const Ask& ask) noexcept {
  const Rule& rule = *ask.rule;
  return rule.leases && ask.how == How::take && ask.cost > 0 && rule.algorithm->leasable && rule.wait == Duration(0);
}

Leases::Look Leases::look(const Ask& ask, Moment now) {
  const Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr) return {};
  Lease* lease = nullptr;
  if (heat->lease != kNone) {
    lease = &at(heat->lease);
    if (!same_counting(*lease->rule, *ask.rule)) {
      lease->over = true;
      lease->rule = rules_.of(*ask.rule);  // what is given back goes to the counter as it is kept now
    }
    if (lease->over) return {};
    if (lease->usable(now) >= ask.cost) return {Standing::held, heat->lease, 0};
    if (!lease->anew && lease->due_of(ask.cost, now) != Moment::max()) return {Standing::later, heat->lease, 0};
    if (lease->coming) return {Standing::coming, heat->lease, 0};
  }
  if (lease != nullptr && lease->rests_until > now) return {};
  if (little_left(*heat, ask) && heat->asks_a_second(now) > kHot) return {Standing::worth, heat->lease, 0};
  const auto ahead = worth(*heat, *ask.rule, lease, ask.cost, now);
  return ahead > 0 ? Look{Standing::worth, heat->lease, ahead} : Look{};
}

Leases::Receipts Leases::take(const Ask& ask, Id id, Moment now, Verdict& verdict) {
  Lease& lease = at(id);
  Receipts receipts;
  std::int64_t missing = ask.cost;
  for (Batch* batch : {&lease.older, &lease.newer})
    missing -= take_from(*batch, std::min(missing, batch->usable(now, lease.rule->rate)), id, receipts);
  lease.used = now;
  lease.cost = ask.cost;
  lease.heat->count(ask.cost, now);
  tell(ask, id, now, verdict);
  if (lease.tokens(now) <= lease.granted / 4) runs_low(lease, id);
  return receipts;
}

std::int64_t Leases::take_from(Batch& batch, std::int64_t tokens, Id id, Receipts& receipts) {
  if (tokens <= 0) return 0;
  batch.tokens -= tokens;
  receipts.push_back({id, at(id).generation, tokens, batch.expires, batch.refund_by});
  return tokens;
}

void Leases::runs_low(Lease& lease, Id id) {
  if (lease.coming || std::exchange(lease.low, true)) return;
  low_.push_back(id);
}

void Leases::tell(const Ask& ask, Id id, Moment now, Verdict& verdict) const {
  const Lease& lease = at(id);
  verdict = {};
  verdict.allowed = true;
  verdict.limit = ask.rule->burst;
  verdict.remaining = std::min(ask.rule->burst, lease.heat->remaining + static_cast<std::uint64_t>(lease.usable(now)));
  verdict.reset_after = until(lease.full_at, now);
}

void Leases::tell_later(const Ask& ask, Id id, Moment now, Verdict& verdict) const {
  const Lease& lease = at(id);
  verdict = {};
  verdict.limit = ask.rule->burst;
  verdict.remaining = static_cast<std::uint64_t>(lease.usable(now));
  verdict.retry_after = until(lease.due_of(ask.cost, now), now);
  verdict.reset_after = std::max(until(lease.full_at, now), verdict.retry_after);
}

Leases::Part Leases::take_part(const Ask& ask, Moment now) {
  Part part;
  const Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr || heat->lease == kNone || ask.cost > static_cast<std::int64_t>(ask.rule->burst)) return part;
  Lease& lease = at(heat->lease);
  lease.end_what_is_over(now);
  for (Batch* batch : {&lease.older, &lease.newer}) {
    const auto there = std::min(batch->usable(now, lease.rule->rate), ask.cost - 1 - part.tokens);
    part.tokens += take_from(*batch, there, heat->lease, part.receipts);
  }
  lease.counted_on = lease.counted_on || part.tokens > 0;
  owes_ = owes_ || lease.owed.tokens > 0;
  return part;
}

bool Leases::counted_on(Id id) noexcept { return std::exchange(at(id).counted_on, false); }

void Leases::put_back(const Receipt& receipt) {
  Lease& lease = at(receipt.lease);
  if (lease.generation != receipt.generation) return;  // long over
  for (Batch* batch : {&lease.older, &lease.newer})
    if (batch->expires == receipt.expires) {
      batch->tokens += receipt.tokens;
      return;
    }
  lease.owe({receipt.tokens, receipt.expires, receipt.refund_by});
}

void Leases::count(const Ask& ask, Moment now) {
  Heat* heat = heat_.find(ask.hash);
  if (heat == nullptr) {
    heat = heat_.insert(
        ask.hash, [&](const Heat& a, const Heat& b) { return a.asks_a_second(now) > b.asks_a_second(now); },
        [](const Heat& other) { return other.lease != kNone; });
    if (heat == nullptr) return;
    heat->since = now;
  }
  heat->count(ask.cost, now);
}

Leases::Id Leases::begin(const Ask& ask, Moment now) {
  const Id id = lease_of(ask, now);
  if (id != kNone) at(id).coming = true;
  return id;
}

Leases::Id Leases::lease_of(const Ask& ask, Moment now) {
  Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr) return kNone;
  if (heat->lease == kNone) {
    if (free_.empty() && leases_.size() >= options_.max_leases) return kNone;
    if (free_.empty()) {
      leases_.push_back(std::make_unique<Lease>());
      free_.push_back(static_cast<Id>(leases_.size()));
    }
    const Id id = free_.back();
    free_.pop_back();
    live_.push_back(id);
    heat->lease = id;
    Lease& lease = at(id);
    lease.hash = ask.hash;
    lease.rule = rules_.of(*ask.rule);
    lease.subject.assign(ask.subject);
    lease.heat = heat;
    lease.starts_anew = starts_anew(*ask.rule);
  }
  Lease& lease = at(heat->lease);
  lease.used = now;
  lease.cost = ask.cost;
  return heat->lease;
}

void Leases::granted(Id id, std::int64_t tokens, const Verdict& verdict, Moment asked) {
  Lease& lease = at(id);
  lease.heat->remaining = verdict.remaining;
  lease.full_at = asked + verdict.reset_after;
  lease.caution = 0;
  lease.granted = tokens;
  lease.anew = false;
  Batch batch{tokens, asked + kLife, Moment::max()};
  if (lease.starts_anew) {  // counted from the asking: never later than the real end
    batch.expires = std::min(batch.expires, lease.full_at);
    batch.refund_by = lease.full_at - kLate;
  }
  lease.end_what_is_over(asked);
  lease.add(batch);
}

void Leases::reserved(Id id, std::int64_t tokens, const Verdict& verdict, Moment asked, Moment now) {
  Lease& lease = at(id);
  const Rule& rule = *lease.rule;
  tokens += std::exchange(lease.pledged, 0);
  const Duration owed = verdict.reset_after - Duration(time_of(static_cast<std::int64_t>(rule.burst), rule.rate).whole);
  if (owed <= Duration(0)) return granted(id, tokens, verdict, asked);
  lease.heat->remaining = 0;
  lease.full_at = now + verdict.reset_after;
  lease.granted = tokens;
  lease.anew = false;
  Batch batch{tokens, {}, Moment::max(), now + owed};  // counted from the answer: never earlier than the real moment
  batch.expires = batch.due_of(1, rule.rate) + kLife;
  lease.end_what_is_over(asked);
  if (owed > kLongestQueue) {
    lease.rests_until = now + kLongestQueue;
    return lease.owe(batch);
  }
  lease.add(batch);
}

void Leases::refused(Id id, const Verdict& verdict, Moment now) {
  Lease& lease = at(id);
  lease.heat->remaining = verdict.remaining;
  lease.caution = std::min(lease.caution + 1, kMostCaution);
  lease.rests_until = now + kRest;
}

void Leases::runs_out(const Ask& ask, const Verdict& verdict, Moment now) {
  const Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr || !ask.rule->algorithm->even || !little_left(*heat, ask) || verdict.retry_after > kLongestQueue)
    return;
  const Id id = lease_of(ask, now);
  if (id == kNone) return;
  Lease& lease = at(id);
  lease.anew = false;
  lease.counted_on = true;
  if (lease.over || lease.coming || lease.rests_until > now) return;
  lease.short_of = true;
  runs_low(lease, id);
}

void Leases::failed(Id id, Moment now) noexcept {
  Lease& lease = at(id);
  lease.rests_until = now + kRest;
  if (lease.pledged > 0) lease.owe({std::exchange(lease.pledged, 0), {}, Moment::max()});
}

void Leases::ended(Id id) noexcept { at(id).coming = false; }

void Leases::told(const Ask& ask, const Verdict& verdict) {
  Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr) return;
  heat->remaining = verdict.remaining;
  if (heat->lease != kNone) at(heat->lease).anew = false;
}

void Leases::given_back(const Hash& hash) noexcept {
  const Heat* const heat = heat_.find(hash);
  if (heat != nullptr && heat->lease != kNone) at(heat->lease).anew = true;
}

std::int64_t Leases::held(const Hash& hash, Moment now) const noexcept {
  const Heat* const heat = heat_.find(hash);
  return heat != nullptr && heat->lease != kNone ? at(heat->lease).usable(now) : 0;
}

std::optional<Leases::Errand> Leases::next_refill(Moment now) {
  while (!low_.empty()) {
    const Id id = low_.back();
    low_.pop_back();
    Lease& lease = at(id);
    lease.low = false;
    if (lease.coming || lease.over || lease.rests_until > now) continue;
    const auto ahead = worth(*lease.heat, *lease.rule, &lease, lease.cost, now);
    auto cost = ahead > 0 ? ahead : reservable(lease, now);
    if (ahead == 0 && cost > 0 && lease.short_of) {  // what there is goes over, so that all of it comes in one row
      cost -= lease.pledged = lease.take_all();
      if (cost <= 0) lease.owe({std::exchange(lease.pledged, 0), {}, Moment::max()});
    }
    lease.short_of = false;
    if (cost <= 0) continue;
    lease.coming = true;
    return Errand{id, {lease.rule.get(), lease.subject, lease.hash, cost, ahead > 0 ? How::take : How::debt}};
  }
  return {};
}

std::optional<Leases::Errand> Leases::next_refund() {
  owes_ = false;
  for (std::size_t looked = 0; looked < live_.size(); ++looked) {
    if (next_refund_ >= live_.size()) next_refund_ = 0;
    const Id id = live_[next_refund_++];
    Lease& lease = at(id);
    if (lease.refunding > 0 || lease.owed.tokens == 0) continue;
    lease.refunding = std::exchange(lease.owed, {}).tokens;
    return Errand{id, {lease.rule.get(), lease.subject, lease.hash, -lease.refunding}};
  }
  return {};
}

void Leases::refunded(Id id) noexcept { at(id).refunding = 0; }

void Leases::sweep(Moment now) {
  for (std::size_t i = live_.size(); i-- > 0;) {
    Lease& lease = at(live_[i]);
    lease.end_what_is_over(now);
    const bool in_use = lease.older.tokens > 0 || lease.newer.tokens > 0 || lease.owed.tokens > 0 ||
                        lease.refunding > 0 || lease.coming || lease.low;
    if (in_use || (!lease.over && lease.used + kSecond > now)) continue;
    release(live_[i]);
    live_[i] = live_.back();
    live_.pop_back();
  }
}

void Leases::end_all(Moment now) {
  for (const Id id : live_) {
    at(id).over = true;
    at(id).end_what_is_over(now);
  }
}

void Leases::release(Id id) noexcept {
  Lease& lease = at(id);
  lease.heat->lease = kNone;
  const auto generation = lease.generation + 1;
  std::string subject = std::move(lease.subject);  // its memory serves the next one
  lease = Lease();
  lease.subject = std::move(subject);
  lease.generation = generation;
  free_.push_back(id);
}

}  // namespace headgate::limit
