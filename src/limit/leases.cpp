#include "headgate/limit/leases.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSecond = 1s;
constexpr unsigned kLeastRequests = 4;        // fewer are not worth what they may strand
constexpr std::int64_t kMostAhead = 1 << 24;  // tokens; half a second of more than any loop decides
constexpr Duration kLongestPace = 25ms;
constexpr double kAtOnce = 0.02;  // seconds: what is asked here so soon strands nothing, whoever else wants it
constexpr Duration kRest = 10ms;  // after a refusal of more: others want the rest too
constexpr unsigned kMostCaution = 2;

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

/// What was taken at one time.
struct Leases::Batch {
  std::int64_t tokens = 0;
  Moment expires;
  Moment refund_by;

  bool alive(Moment now) const noexcept { return tokens > 0 && expires > now; }
};

struct Leases::Lease {
  Hash hash;
  std::shared_ptr<const Rule> rule;
  std::string subject;
  Heat* heat = nullptr;  // stays while this does
  Batch older;           // used first
  Batch newer;
  Batch owed;  // to be given back
  std::int64_t refunding = 0;
  std::int64_t granted = 0;  // the last time
  std::int64_t cost = 1;     // of the last request
  Moment full_at;
  Moment used;
  Moment rests_until;
  std::uint32_t generation = 0;
  unsigned caution = 0;
  bool starts_anew = false;
  bool coming = false;
  bool low = false;   // is in low_
  bool over = false;  // the limit has another size now

  std::int64_t tokens(Moment now) const noexcept {
    return (older.alive(now) ? older.tokens : 0) + (newer.alive(now) ? newer.tokens : 0);
  }
  void owe(const Batch& batch) noexcept {
    owed.refund_by = owed.tokens > 0 ? std::min(owed.refund_by, batch.refund_by) : batch.refund_by;
    owed.tokens += batch.tokens;
  }
  void end(Batch& batch) noexcept { owe(std::exchange(batch, {})); }
  void end_what_is_over(Moment now) noexcept {
    for (Batch* batch : {&older, &newer})
      if (batch->tokens > 0 && (over || batch->expires <= now)) end(*batch);
    if (owed.tokens > 0 && owed.refund_by <= now) owed = {};  // too late: what it was taken from is over as well
  }
};

void Leases::Heat::count(std::int64_t cost, Moment now) noexcept {
  const auto gone = now - since;
  if (gone >= kSecond) {
    const bool next = gone < 2 * kSecond;
    asks_before = next ? asks : 0;
    tokens_before = next ? tokens : 0;
    asks = 0;
    tokens = 0;
    since = next ? since + kSecond : now;
  }
  ++asks;
  tokens += static_cast<double>(cost);
}

namespace {

double a_second(double these, double before, std::chrono::nanoseconds gone) noexcept {
  if (gone >= 2 * kSecond) return 0;
  if (gone >= kSecond) {
    before = std::exchange(these, 0.0);
    gone -= kSecond;
  }
  return these + before * (1 - std::chrono::duration<double>(gone).count());
}

}  // namespace

double Leases::Heat::asks_a_second(Moment now) const noexcept { return a_second(asks, asks_before, now - since); }
double Leases::Heat::tokens_a_second(Moment now) const noexcept { return a_second(tokens, tokens_before, now - since); }

Leases::Leases(const LeaseOptions& options) : options_(options), heat_(options.max_keys) {}
Leases::~Leases() = default;

bool Leases::leasable(const Ask& ask) noexcept {
  const Rule& rule = *ask.rule;
  return rule.leases && ask.how == How::take && ask.cost > 0 && rule.algorithm->leasable && rule.wait == Duration(0);
}

std::int64_t Leases::worth(const Heat& heat, const Lease* lease, std::int64_t cost, Moment now) const noexcept {
  if (heat.asks_a_second(now) <= kHot) return 0;
  const double rate = std::min(heat.tokens_a_second(now), 2.0 * kMostAhead);
  const auto wanted = static_cast<std::uint64_t>(rate / 2);
  const auto at_once = static_cast<std::uint64_t>(rate * kAtOnce);
  const std::uint64_t share = heat.remaining / 2 / std::max<std::uint32_t>(options_.sharers, 1);
  auto ahead = static_cast<std::int64_t>(std::max(std::min(wanted, share), std::min(at_once, heat.remaining)));
  if (lease != nullptr) ahead >>= lease->caution;
  return ahead / kLeastRequests >= cost ? ahead : 0;
}

Leases::Look Leases::look(const Ask& ask, Moment now) {
  const Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr) return {};
  Lease* lease = nullptr;
  if (heat->lease != kNone) {
    lease = &at(heat->lease);
    if (lease->over || !same_counting(*lease->rule, *ask.rule)) {
      lease->over = true;
      return {};
    }
    if ((lease->older.alive(now) && lease->older.tokens >= ask.cost) ||
        (lease->newer.alive(now) && lease->newer.tokens >= ask.cost))
      return {Standing::held, heat->lease, 0};
    if (lease->coming) return {Standing::coming, heat->lease, 0};
  }
  if (heat->remaining / kLeastRequests < static_cast<std::uint64_t>(ask.cost) && heat->asks_a_second(now) > kHot)
    return {Standing::worth, heat->lease, 0};
  if (lease != nullptr && lease->rests_until > now) return {};
  const auto ahead = worth(*heat, lease, ask.cost, now);
  return ahead > 0 ? Look{Standing::worth, heat->lease, ahead} : Look{};
}

Leases::Receipt Leases::take(const Ask& ask, Id id, Moment now, Verdict& verdict) {
  Lease& lease = at(id);
  Batch& batch = lease.older.alive(now) && lease.older.tokens >= ask.cost ? lease.older : lease.newer;
  batch.tokens -= ask.cost;
  lease.used = now;
  lease.cost = ask.cost;
  lease.heat->count(ask.cost, now);
  tell(ask, id, now, verdict);
  if (!lease.low && !lease.coming && lease.tokens(now) < lease.granted / 4) {
    lease.low = true;
    low_.push_back(id);
  }
  return {id, lease.generation, ask.cost, batch.expires, batch.refund_by};
}

void Leases::tell(const Ask& ask, Id id, Moment now, Verdict& verdict) const {
  const Lease& lease = at(id);
  verdict = {};
  verdict.allowed = true;
  verdict.limit = ask.rule->burst;
  verdict.remaining = std::min(ask.rule->burst, lease.heat->remaining + static_cast<std::uint64_t>(lease.tokens(now)));
  verdict.reset_after = until(lease.full_at, now);
}

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
  lease.coming = true;
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
  Batch batch{tokens, asked + kLife, Moment::max()};
  if (lease.starts_anew) {  // counted from the asking: never later than the real end
    batch.expires = std::min(batch.expires, lease.full_at);
    batch.refund_by = lease.full_at - kLate;
  }
  lease.end_what_is_over(asked);
  if (lease.older.tokens > 0 && lease.newer.tokens > 0) {  // the younger may be called older, never the other way round
    lease.older.tokens += lease.newer.tokens;
    lease.older.refund_by = std::min(lease.older.refund_by, lease.newer.refund_by);
    lease.older.expires = std::min(lease.older.expires, lease.newer.expires);
    lease.newer = {};
  } else if (lease.newer.tokens > 0) {
    lease.older = std::exchange(lease.newer, {});
  }
  (lease.older.tokens > 0 ? lease.newer : lease.older) = batch;
}

void Leases::refused(Id id, const Verdict& verdict, Moment now) {
  Lease& lease = at(id);
  lease.heat->remaining = verdict.remaining;
  lease.caution = std::min(lease.caution + 1, kMostCaution);
  lease.rests_until = now + kRest;
}

void Leases::failed(Id id, Moment now) noexcept { at(id).rests_until = now + kRest; }

void Leases::ended(Id id) noexcept { at(id).coming = false; }

void Leases::told(const Ask& ask, const Verdict& verdict) {
  Heat* const heat = heat_.find(ask.hash);
  if (heat != nullptr) heat->remaining = verdict.remaining;
}

std::int64_t Leases::held(const Hash& hash, Moment now) const noexcept {
  const Heat* const heat = heat_.find(hash);
  return heat != nullptr && heat->lease != kNone ? at(heat->lease).tokens(now) : 0;
}

Duration Leases::pace(const Ask& ask, Moment now) const noexcept {
  const Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr || heat->asks_a_second(now) <= kHot) return Duration(0);
  const Rule& rule = *ask.rule;
  const double fill = static_cast<double>(rule.burst) * static_cast<double>(rule.rate.period.count()) /
                      static_cast<double>(rule.rate.count);
  return std::min(kLongestPace, Duration(static_cast<std::int64_t>(std::min(fill / 4, 1e6))));
}

bool Leases::exhausted(const Ask& ask, Moment now) const noexcept {
  const Heat* const heat = heat_.find(ask.hash);
  if (heat == nullptr || heat->remaining / kLeastRequests >= static_cast<std::uint64_t>(ask.cost)) return false;
  const Rate& rate = ask.rule->rate;
  const double comes_back = static_cast<double>(rate.count) / std::chrono::duration<double>(rate.period).count();
  return heat->asks_a_second(now) > kHot && heat->tokens_a_second(now) > comes_back;
}

std::optional<Leases::Errand> Leases::next_refill(Moment now) {
  while (!low_.empty()) {
    const Id id = low_.back();
    low_.pop_back();
    Lease& lease = at(id);
    lease.low = false;
    if (lease.coming || lease.over || lease.rests_until > now) continue;
    const auto ahead = worth(*lease.heat, &lease, lease.cost, now);
    if (ahead == 0) continue;
    lease.coming = true;
    return Errand{id, {lease.rule.get(), lease.subject, lease.hash, ahead}};
  }
  return {};
}

std::optional<Leases::Errand> Leases::next_refund() {
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
