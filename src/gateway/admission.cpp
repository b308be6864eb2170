// Whether a caller still has budget: the plan of the route asked, in memory and in Redis, all or nothing.

#include "limit_fields.hpp"
#include "outage.hpp"
#include "terms.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/gateway.hpp"

#include <algorithm>

namespace headgate::gateway {

/// The part of an admission that one call decides: what was appended to it since.
struct AdmissionPart {
  explicit AdmissionPart(const Admission& a) : first_ask(a.asks.size()), first_limit(a.limits.size()) {}
  std::size_t first_ask;
  std::size_t first_limit;
  bool empty(const Admission& a) const noexcept { return a.asks.size() == first_ask; }
  /// It was not decided.
  void drop(Admission& a) const {
    a.asks.resize(first_ask);
    a.limits.resize(first_limit);
  }
  std::span<const limit::Ask> asks(const Admission& a) const {
    return {a.asks.data() + first_ask, a.asks.size() - first_ask};
  }
  std::span<limit::Verdict> verdicts(Admission& a) const {
    return {a.verdicts.data() + first_ask, a.asks.size() - first_ask};
  }
  std::span<AskedLimit> limits(Admission& a) const {
    return {a.limits.data() + first_limit, a.limits.size() - first_limit};
  }
};

namespace {

using Part = AdmissionPart;
using limit::How;
using Clock = std::chrono::steady_clock;

/// Nobody is let through uncounted. Neither the checker nor Grants lets so many stand together.
Problem too_many_rules(Exchange& x, const limit::Limit& limit) {
  x.reason = "the request is under more rates than one request can be counted by";
  return {500, EndedBy::bug, "Requests cannot be counted here, and uncounted ones are not let through.", limit.name, 0,
          {}};
}

/// False where the request would be under more rules than one can be.
[[nodiscard]] bool append(Admission& a, const PlannedLimit& planned, const Terms& terms, Source source) {
  const auto& rules = source == Source::fallback ? terms.tier->local : terms.tier->rules;
  if (a.asks.size() + rules.size() > Admission::kMost) return false;
  const auto how = planned.limit->mode == limit::Mode::observe ? How::trial : How::take;
  a.limits.push_back({&planned,
                      terms.tier,
                      source,
                      static_cast<std::uint8_t>(a.asks.size()),
                      static_cast<std::uint8_t>(rules.size()),
                      false,
                      terms.cost,
                      false,
                      Duration(0),
                      {},
                      {}});
  for (const auto& rule : rules)
    a.asks.push_back({&rule, terms.subject, keyed_hash(terms.subject, rule.seed), terms.cost, how});
  return true;
}

/// Whether this gateway's share of the limit can refuse anybody while Redis is away.
bool counts_here(const PlannedLimit& planned) {
  return planned.stage == Stage::redis && planned.limit->mode == limit::Mode::enforce &&
         planned.limit->if_redis_down == limit::IfRedisDown::count_locally;
}

/// Questions for every limit of this stage; a problem where a caller without the key is to be refused.
template <class KeyMissing>
std::optional<Problem> collect(Exchange& x, Stage stage, const KeyMissing& key_missing) {
  const auto source = stage == Stage::redis ? Source::redis : Source::memory;
  for (const auto& planned : x.route->plan) {
    if (planned.stage != stage) continue;
    const auto terms = terms_of(x, planned);
    if (terms.applies && !append(x.admission, planned, terms, source)) return too_many_rules(x, *planned.limit);
    if (terms.key_missing && planned.limit->mode == limit::Mode::enforce) return key_missing(*planned.limit);
  }
  return {};
}

/// When a part was asked. The clock that its waits are told by was read before it was, so that they end no later than
/// told.
struct Asked {
  Clock::time_point steady = Clock::now();
  Instant wall = now();
};

/// Tells of the rule that binds: of those refused in `part`, else of all asked so far. Limits on trial bind nobody.
void conclude(Admission& a, const Part& part, const Asked& when, Admission::Outcome outcome) {
  const auto took = std::chrono::duration_cast<Duration>(Clock::now() - when.steady);
  for (auto& asked : part.limits(a)) {
    asked.took = took;
    asked.asked_at = when.steady;
    asked.asked_on = when.wall;
    const auto* const first = a.verdicts.data() + asked.first;
    asked.refused = !std::all_of(first, first + asked.count, [](const auto& verdict) { return verdict.allowed; });
  }
  a.outcome = outcome;
  const auto from = outcome == Admission::Outcome::rejected ? part.first_limit : 0;
  for (std::size_t i = from; i < a.limits.size(); ++i) {
    const auto& asked = a.limits[i];
    if (asked.planned->limit->mode == limit::Mode::observe) continue;
    for (std::size_t at = asked.first; at < asked.first + std::size_t{asked.count}; ++at)
      a.delay = std::max(a.delay, a.verdicts[at].delay);
  }
  a.bind(from);
}

/// "The limit of 5/minute is used up. Try again in 12 seconds."
Problem rejection(Exchange& x, const Rejection& style) {
  const auto& a = x.admission;
  const auto& verdict = a.verdict();
  const auto& name = a.binding->planned->limit->name;
  if (verdict.retry_after >= limit::kNever)
    return {429, EndedBy::limit, "This request costs more than is ever allowed at once here.", name, 0, {}, style.body};
  const auto wait = seconds_up(verdict.retry_after);
  const auto detail = x.text.join(
      {"The limit of ", to_text(a.binding_rule().rate), " is used up. Try again in ", in_words(x.text, wait), "."});
  return {429, EndedBy::limit, detail, name, wait, {}, style.body};
}

bool taken(const limit::Ask& ask, const limit::Verdict& verdict) noexcept {
  return ask.how == How::take || verdict.allowed;
}

}  // namespace

Gateway::Step Gateway::admit(Exchange& x, Stage stage) {
  auto& a = x.admission;
  const Part part(a);
  const auto without_key = [&](const limit::Limit& limit) { return key_missing(x, limit); };
  if (auto problem = collect(x, stage, without_key)) {
    part.drop(a);
    take_back(x, part.first_ask);
    return problem;
  }
  return decide_here(x, part);
}

/// All or nothing in this gateway's memory; what earlier steps took is given back with a refusal.
Gateway::Step Gateway::decide_here(Exchange& x, const Part& part) {
  auto& a = x.admission;
  if (part.empty(a)) return {};
  const Asked at;
  const bool agreed = services_.memory.decide(part.asks(a), at.wall, part.verdicts(a));
  conclude(a, part, at, agreed ? Admission::Outcome::allowed : Admission::Outcome::rejected);
  if (agreed) return {};
  auto problem = rejection(x, x.snapshot->site->options().rejection);
  take_back(x, part.first_ask);
  return problem;
}

Task<Gateway::Step> Gateway::admit_in_redis(Exchange& x) {
  auto& a = x.admission;
  auto& redis = *x.snapshot->redis;
  const Asked at;
  const bool others_may_owe = at.steady < redis.way_back_until();
  if (others_may_owe)
    if (auto problem = admit_by_share(x)) co_return problem;
  const Part part(a);
  const auto without_key = [&](const limit::Limit& limit) { return key_missing(x, limit); };
  if (auto problem = collect(x, Stage::redis, without_key)) {
    part.drop(a);
    if (others_may_owe) return_share(x);
    take_back(x, part.first_ask);
    co_return problem;
  }
  if (part.empty(a)) co_return Step{};
  outage_->hand_over(part.asks(a));
  const auto agreed = co_await redis.decide(part.asks(a), part.verdicts(a));
  if (others_may_owe && (agreed.has_error() || !*agreed)) return_share(x);
  if (agreed.has_error()) {
    part.drop(a);
    co_return admit_without_redis(x);
  }
  conclude(a, part, at, *agreed ? Admission::Outcome::allowed : Admission::Outcome::rejected);
  if (*agreed) co_return Step{};
  auto problem = rejection(x, x.snapshot->site->options().rejection);
  take_back(x, part.first_ask);
  co_return problem;
}

/// Redis is back, but other gateways may still have to charge it for what they let through: so that nobody is granted
/// their share meanwhile, ours must agree as well. What it takes is not owed: Redis is asked for it too.
Gateway::Step Gateway::admit_by_share(Exchange& x) {
  auto& a = x.admission;
  const auto outcome = a.outcome;
  const auto* const binding = a.binding;
  const auto rule = a.rule;
  const auto delay = a.delay;
  const Part part(a);
  for (const auto& planned : x.route->plan) {
    if (!counts_here(planned)) continue;
    const auto terms = terms_of(x, planned);
    if (!terms.applies || append(a, planned, terms, Source::fallback)) continue;
    part.drop(a);
    take_back(x, part.first_ask);
    return too_many_rules(x, *planned.limit);
  }
  if (auto problem = decide_here(x, part)) return problem;
  part.drop(a);  // it is Redis that the caller is told of
  a.outcome = outcome;
  a.binding = binding;
  a.rule = rule;
  a.delay = delay;
  return {};
}

/// What admit_by_share() took, where Redis did not agree.
void Gateway::return_share(Exchange& x) {
  boost::container::static_vector<limit::Ask, Admission::kMost> returned;
  for (const auto& planned : x.route->plan) {
    if (!counts_here(planned)) continue;
    const auto terms = terms_of(x, planned);
    if (!terms.applies) continue;
    for (const auto& rule : terms.tier->local)
      if (returned.size() < returned.capacity())
        returned.push_back({&rule, terms.subject, keyed_hash(terms.subject, rule.seed), terms.cost, How::take});
  }
  if (!returned.empty()) services_.memory.give_back({returned.data(), returned.size()}, now());
}

Gateway::Step Gateway::admit_without_redis(Exchange& x) {
  auto& a = x.admission;
  const Part part(a);
  for (const auto& planned : x.route->plan) {
    if (planned.stage != Stage::redis) continue;
    const auto terms = terms_of(x, planned);
    if (!terms.applies) continue;
    const bool enforced = planned.limit->mode == limit::Mode::enforce;
    if (planned.limit->if_redis_down == limit::IfRedisDown::count_locally) {
      if (!append(a, planned, terms, Source::fallback)) {
        part.drop(a);
        take_back(x, part.first_ask);
        return too_many_rules(x, *planned.limit);
      }
    } else if (planned.limit->if_redis_down == limit::IfRedisDown::reject && enforced) {
      part.drop(a);
      take_back(x, part.first_ask);
      return Problem{503,
                     EndedBy::limit,
                     "Requests cannot be counted at the moment, and uncounted ones are not let through here.",
                     planned.limit->name,
                     1,
                     {}};
    }
  }
  if (auto problem = decide_here(x, part)) return problem;
  for (const auto& asked : part.limits(a)) outage_->counted(x, asked);
  return {};
}

/// Returns what the first `count` asks took, because a later step refused the request: nothing was charged anywhere.
void Gateway::take_back(Exchange& x, std::size_t count) {
  auto& a = x.admission;
  boost::container::static_vector<limit::Ask, Admission::kMost> returned;
  for (std::size_t i = 0; i < count; ++i)
    if (taken(a.asks[i], a.verdicts[i])) returned.push_back(a.asks[i]);
  if (a.outcome == Admission::Outcome::allowed) a.binding = nullptr;  // its numbers are no longer true
  if (!returned.empty()) services_.memory.give_back({returned.data(), returned.size()}, now());
}

}  // namespace headgate::gateway
