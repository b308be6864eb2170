#include "headgate/limit/leases.hpp"

#include "lease.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSecond = 1s;
constexpr Duration kRest = 10ms;  // pause after Redis rejected extra permits, which others may need
constexpr unsigned kMaxCaution = 2;
constexpr unsigned kMaxCrowded = 10;

/// Returns whether all taken permits come back at one moment rather than one by one. If so, a lease ends at that
/// moment.
bool starts_anew(const Rule& rule) {
  const Instant any{Duration(1'795'238'424'123'456)};
  const auto over = [&](std::int64_t cost) {
    State state;
    return rule.algorithm->commit(state, rule, cost, CommitMode::take, any,
                                  rule.algorithm->peek(state, rule, cost, any));
  };
  return rule.burst > 1 && over(1) == over(static_cast<std::int64_t>(rule.burst));
}

Duration until(Moment moment, Moment now) noexcept {
  return moment > now ? std::chrono::ceil<Duration>(moment - now) : Duration(0);
}

}  // namespace

Leases::Leases(const LeaseOptions& options) : options_(options), estimate_(options.max_keys), random_(options.seed) {
  reckon_with(options.sharers);
}
Leases::~Leases() = default;

bool Leases::leasable(const Check& check) noexcept {
  const Rule& rule = *check.rule;
  return rule.leases && check.how == How::take && check.cost > 0 && rule.algorithm->leasable &&
         rule.wait == Duration(0);
}

Leases::Look Leases::look(const Check& check, Moment now) {
  const RateEstimate* const estimate = estimate_.find(check.hash);
  if (estimate == nullptr) return {};
  Lease* lease = nullptr;
  if (estimate->lease != kNone) {
    lease = &at(estimate->lease);
    if (!same_counting(*lease->rule, *check.rule)) {
      if (check.peek) return {};
      lease->over = true;
      lease->rule = rules_.of(*check.rule);  // so that refunds use the current rule of the counter
    }
    if (lease->over) return {};
    if (lease->usable(now) >= check.cost) return {LeaseState::held, estimate->lease, 0};
    if (!lease->anew && lease->due_of(check.cost, now) != Moment::max()) return {LeaseState::later, estimate->lease, 0};
    if (lease->coming) return {LeaseState::coming, estimate->lease, 0};
  }
  if (lease != nullptr && lease->rests_until > now) return {};
  if (little_left(*estimate, check) && estimate->checks_per_second(now) > kHot)
    return {LeaseState::worth, estimate->lease, 0};
  const auto ahead = worth(*estimate, *check.rule, lease, check.cost, now);
  return ahead > 0 ? Look{LeaseState::worth, estimate->lease, ahead} : Look{};
}

Leases::Receipts Leases::take(const Check& check, Id id, Moment now, Decision& decision) {
  Lease& lease = at(id);
  Receipts receipts;
  std::int64_t missing = check.cost;
  for (Batch* batch : {&lease.older, &lease.newer})
    missing -= take_from(*batch, std::min(missing, batch->usable(now, lease.rule->rate)), id, receipts);
  lease.used = now;
  lease.cost = check.cost;
  lease.estimate->count(check.cost, now);
  tell(check, id, now, decision);
  if (lease.tokens(now) <= lease.granted / 4) runs_low(lease, id);
  return receipts;
}

std::int64_t Leases::take_from(Batch& batch, std::int64_t tokens, Id id, Receipts& receipts) {
  if (tokens <= 0) return 0;
  batch.tokens -= tokens;
  receipts.push_back({.lease = id,
                      .generation = at(id).generation,
                      .tokens = tokens,
                      .expires = batch.expires,
                      .refund_by = batch.refund_by});
  return tokens;
}

void Leases::runs_low(Lease& lease, Id id) {
  if (lease.coming || std::exchange(lease.low, true)) return;
  low_.push_back(id);
}

Leases::Seen Leases::see(const Check& check, Moment now) const {
  const RateEstimate* const estimate = estimate_.find(check.hash);
  if (estimate == nullptr) return {};
  if (estimate->lease == kNone) return {.may_begin = !free_.empty() || leases_.size() < options_.max_leases};
  const Lease& lease = at(estimate->lease);
  Seen seen{.may_begin = true};
  if (lease.over || !same_counting(*lease.rule, *check.rule)) return seen;
  seen.held = lease.usable(now);
  seen.going_back = lease.going_back(now);
  if (check.cost <= static_cast<std::int64_t>(check.rule->burst))
    seen.part = std::clamp<std::int64_t>(check.cost - 1, 0, seen.held);
  return seen;
}

void Leases::expire(const Check& check, Moment now) {
  const RateEstimate* const estimate = estimate_.find(check.hash);
  if (estimate == nullptr || estimate->lease == kNone) return;
  Lease& lease = at(estimate->lease);
  if (!same_counting(*lease.rule, *check.rule)) {
    lease.over = true;
    lease.rule = rules_.of(*check.rule);
  }
  lease.end_what_is_over(now);
  owes_ = owes_ || lease.owed.tokens > 0;
}

void Leases::tell(const Check& check, Id id, Moment now, Decision& decision, std::int64_t taken) const {
  const Lease& lease = at(id);
  decision = {};
  decision.allowed = true;
  decision.limit = check.rule->burst;
  const auto here = lease.usable(now) + lease.going_back(now) - taken;
  decision.remaining = std::min(check.rule->burst, lease.estimate->remaining + static_cast<std::uint64_t>(here));
  decision.reset_after = until(lease.full_at, now);
}

void Leases::tell_later(const Check& check, Id id, Moment now, Decision& decision) const {
  const Lease& lease = at(id);
  decision = {};
  decision.limit = check.rule->burst;
  decision.remaining = static_cast<std::uint64_t>(lease.usable(now));
  decision.retry_after = told_here(check, until(lease.due_of(check.cost, now), now));
  decision.reset_after = std::max(until(lease.full_at, now), decision.retry_after);
}

Leases::Part Leases::take_part(const Check& check, Moment now) {
  Part part;
  const RateEstimate* const estimate = estimate_.find(check.hash);
  if (estimate == nullptr || estimate->lease == kNone || check.cost > static_cast<std::int64_t>(check.rule->burst))
    return part;
  Lease& lease = at(estimate->lease);
  lease.end_what_is_over(now);
  for (Batch* batch : {&lease.older, &lease.newer}) {
    const auto there = std::min(batch->usable(now, lease.rule->rate), check.cost - 1 - part.tokens);
    part.tokens += take_from(*batch, there, estimate->lease, part.receipts);
  }
  lease.counted_on = lease.counted_on || part.tokens > 0;
  owes_ = owes_ || lease.owed.tokens > 0;
  return part;
}

bool Leases::counted_on(Id id) noexcept { return std::exchange(at(id).counted_on, false); }

void Leases::count_lent(std::span<const Receipt> receipts, int change) noexcept {
  for (const auto& receipt : receipts) at(receipt.lease).lent += change;
}

void Leases::put_back(const Receipt& receipt) {
  Lease& lease = at(receipt.lease);
  if (lease.generation != receipt.generation) return;  // the lease has ended
  for (Batch* batch : {&lease.older, &lease.newer})
    if (batch->expires == receipt.expires) {
      batch->tokens += receipt.tokens;
      return;
    }
  lease.owe({receipt.tokens, receipt.expires, receipt.refund_by});
}

void Leases::count(const Check& check, Moment now, Came came) {
  RateEstimate* estimate = estimate_.find(check.hash);
  if (estimate == nullptr) {
    estimate = estimate_.insert(
        check.hash,
        [&](const RateEstimate& a, const RateEstimate& b) {
          return a.checks_per_second(now) > b.checks_per_second(now);
        },
        [](const RateEstimate& other) { return other.lease != kNone; });
    if (estimate == nullptr) return;
    estimate->since = now;
  }
  estimate->count(check.cost, now);
  if (came == Came::too_early) estimate->count_early();
}

Leases::Id Leases::begin(const Check& check, Moment now) {
  const Id id = lease_of(check, now);
  if (id != kNone) at(id).coming = true;
  return id;
}

Leases::Id Leases::lease_of(const Check& check, Moment now) {
  RateEstimate* const estimate = estimate_.find(check.hash);
  if (estimate == nullptr) return kNone;
  if (estimate->lease == kNone) {
    if (free_.empty() && leases_.size() >= options_.max_leases) return kNone;
    if (free_.empty()) {
      leases_.push_back(std::make_unique<Lease>());
      free_.push_back(static_cast<Id>(leases_.size()));
    }
    const Id id = free_.back();
    free_.pop_back();
    live_.push_back(id);
    estimate->lease = id;
    Lease& lease = at(id);
    lease.hash = check.hash;
    lease.rule = rules_.of(*check.rule);
    lease.key.assign(check.key);
    lease.estimate = estimate;
    lease.starts_anew = starts_anew(*check.rule);
  }
  Lease& lease = at(estimate->lease);
  lease.used = now;
  lease.cost = check.cost;
  return estimate->lease;
}

void Leases::granted(Id id, std::int64_t tokens, const Decision& decision, Moment asked) {
  Lease& lease = at(id);
  lease.estimate->remaining = decision.remaining;
  lease.full_at = asked + decision.reset_after;
  lease.caution = 0;
  lease.granted = tokens;
  lease.anew = false;
  Batch batch{tokens, asked + kLife, Moment::max()};
  if (lease.starts_anew) {  // counted from the start of the call, so never later than the real end
    batch.expires = std::min(batch.expires, lease.full_at);
    batch.refund_by = lease.full_at - kLate;
  }
  lease.end_what_is_over(asked);
  lease.add(batch);
}

void Leases::reserved(Id id, std::int64_t tokens, const Decision& decision, Moment asked, Moment now) {
  Lease& lease = at(id);
  const Rule& rule = *lease.rule;
  tokens += std::exchange(lease.pledged, 0);
  const Duration owed =
      decision.reset_after - Duration(time_of(static_cast<std::int64_t>(rule.burst), rule.rate).whole);
  if (owed <= Duration(0)) return granted(id, tokens, decision, asked);
  lease.estimate->remaining = 0;
  lease.full_at = now + decision.reset_after;
  lease.granted = tokens;
  lease.anew = false;
  Batch batch{.tokens = tokens,
              .expires = {},
              .refund_by = Moment::max(),
              .due = now + owed};  // counted from the answer, so never earlier than the real time
  batch.expires = batch.due_of(1, rule.rate) + kLife;
  lease.end_what_is_over(asked);
  const bool too_long = owed > kQueue;
  lease.among_others = owed > Duration(round_up(time_of(tokens, rule.rate)));
  if (too_long || owed > kQueue / 2) lease.crowded = std::min(lease.crowded + 1, kMaxCrowded);
  if (owed < kQueue / 4 && lease.crowded > 0) --lease.crowded;
  if (too_long) {
    lease.rests_until = now + random_pause(kQueue);
    return lease.owe(batch);
  }
  if (owed > kQueue / 2) lease.rests_until = batch.due + random_pause(kQueue);
  lease.add(batch);
}

void Leases::rejected(Id id, const Decision& decision, Moment now) {
  Lease& lease = at(id);
  lease.estimate->remaining = decision.remaining;
  lease.caution = std::min(lease.caution + 1, kMaxCaution);
  lease.rests_until = now + kRest;
}

void Leases::runs_out(const Check& check, Moment now) {
  const Id id = lease_of(check, now);
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

void Leases::told(const Check& check, const Decision& decision) {
  RateEstimate* const estimate = estimate_.find(check.hash);
  if (estimate == nullptr) return;
  estimate->remaining = decision.remaining;
  if (estimate->lease != kNone) at(estimate->lease).anew = false;
}

void Leases::given_back(const Hash& hash) noexcept {
  const RateEstimate* const estimate = estimate_.find(hash);
  if (estimate != nullptr && estimate->lease != kNone) at(estimate->lease).anew = true;
}

std::int64_t Leases::held(const Hash& hash, Moment now) const noexcept {
  const RateEstimate* const estimate = estimate_.find(hash);
  return estimate != nullptr && estimate->lease != kNone ? at(estimate->lease).usable(now) : 0;
}

std::int64_t Leases::going_back(const Hash& hash, Moment now) const noexcept {
  const RateEstimate* const estimate = estimate_.find(hash);
  return estimate != nullptr && estimate->lease != kNone ? at(estimate->lease).going_back(now) : 0;
}

std::optional<Leases::PendingRefill> Leases::next_refill(Moment now) {
  while (!low_.empty()) {
    const Id id = low_.back();
    low_.pop_back();
    Lease& lease = at(id);
    lease.low = false;
    if (lease.coming || lease.over || lease.rests_until > now) continue;
    const auto ahead = worth(*lease.estimate, *lease.rule, &lease, lease.cost, now);
    auto cost = ahead > 0 ? ahead : reservable(lease, now);
    // The permits that are held here become part of the reservation, so that all permits come back one after another.
    if (ahead == 0 && cost > 0 && lease.short_of) {
      cost -= lease.pledged = lease.take_all();
      if (cost <= 0) lease.owe({std::exchange(lease.pledged, 0), {}, Moment::max()});
    }
    lease.short_of = false;
    if (cost <= 0) continue;
    lease.coming = true;
    return PendingRefill{.lease = id,
                         .check = {.rule = lease.rule.get(),
                                   .key = lease.key,
                                   .hash = lease.hash,
                                   .cost = cost,
                                   .how = ahead > 0 ? How::take : How::debt}};
  }
  return {};
}

std::optional<Leases::PendingRefill> Leases::next_refund() {
  owes_ = false;
  for (std::size_t looked = 0; looked < live_.size(); ++looked) {
    if (next_refund_ >= live_.size()) next_refund_ = 0;
    const Id id = live_[next_refund_++];
    Lease& lease = at(id);
    if (lease.refunding.tokens > 0 || lease.owed.tokens == 0) continue;
    lease.refunding = std::exchange(lease.owed, {});
    return PendingRefill{
        .lease = id,
        .check = {.rule = lease.rule.get(), .key = lease.key, .hash = lease.hash, .cost = -lease.refunding.tokens}};
  }
  return {};
}

void Leases::refunded(Id id, const Decision* told) noexcept {
  Lease& lease = at(id);
  lease.refunding = {};
  if (told != nullptr) lease.estimate->remaining = told->remaining;
}

void Leases::sweep(Moment now) {
  for (std::size_t i = live_.size(); i-- > 0;) {
    Lease& lease = at(live_[i]);
    lease.end_what_is_over(now);
    const bool in_use = lease.older.tokens > 0 || lease.newer.tokens > 0 || lease.owed.tokens > 0 ||
                        lease.refunding.tokens > 0 || lease.lent > 0 || lease.coming || lease.low;
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
  lease.estimate->lease = kNone;
  const auto generation = lease.generation + 1;
  std::string key = std::move(lease.key);  // the next lease reuses its memory
  lease = Lease();
  lease.key = std::move(key);
  lease.generation = generation;
  free_.push_back(id);
}

}  // namespace headgate::limit
