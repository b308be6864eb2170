// Whether a caller still has budget: the limits of one stage of its route, in memory or in Redis, all or nothing.

#include "limit_fields.hpp"
#include "outage.hpp"
#include "resolved_limit.hpp"
#include "round.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

using limit::How;
using limit::IfRedisDown;

/// Nobody is let through uncounted. Neither the checker nor KeyOverrides lets so many stand together.
Problem too_many_rules(Exchange& x, const limit::Limit& limit) {
  x.reason = "the request is under more rates than one request can be counted by";
  return {500, EndedBy::bug, "Requests cannot be counted here, and uncounted ones are not let through.", limit.name, 0,
          {}};
}

Problem uncountable(const limit::Limit& limit) {
  return {503,
          EndedBy::limit,
          "Requests cannot be counted at the moment, and uncounted ones are not let through here.",
          limit.name,
          1,
          {}};
}

Problem rejection(const Exchange& x, const Rejection& style) {
  const auto& a = x.admission;
  const auto& decision = a.decision();
  const auto& name = a.binding->route_limit->limit->name;
  if (decision.retry_after >= limit::kNever)
    return {429, EndedBy::limit, "This request costs more than is ever allowed at once here.", name, 0, {}, style.body};
  const auto wait = seconds_up(decision.retry_after);
  return {429, EndedBy::limit, {}, name, wait, {}, style.body, a.refusal()};
}

/// False where the request would be under more rules than one can be.
[[nodiscard]] bool append(Admission& a, const RouteLimit& route_limit, const ResolvedLimit& resolved, Source source) {
  const auto& rules = source == Source::fallback ? resolved.tier->local : resolved.tier->rules;
  if (a.checks.size() + rules.size() > Admission::kMax) return false;
  const auto how = route_limit.limit->mode == limit::Mode::observe ? How::observe : How::take;
  a.limits.push_back({&route_limit,
                      resolved.tier,
                      source,
                      static_cast<std::uint8_t>(a.checks.size()),
                      static_cast<std::uint8_t>(rules.size()),
                      false,
                      resolved.cost,
                      false,
                      Duration(0),
                      {},
                      {}});
  for (const auto& rule : rules)
    a.checks.push_back({&rule, resolved.key, keyed_hash(resolved.key, rule.seed), resolved.cost, how});
  return true;
}

bool taken(const limit::Check& check, const limit::Decision& decision) noexcept {
  return check.how == How::take || decision.allowed;
}

}  // namespace

// What its limits are, what they decide, and what becomes of it. If one rejects, nothing is charged anywhere. Memory is
// asked without a coroutine, whose frame would cost as much as the decision.
Gateway::Step Gateway::admit(Exchange& x, Stage stage) {
  Round round(x.admission, Of::memory);
  Step problem = collect(x, round, stage);
  if (!problem) problem = decide_here(x, round);
  if (problem) give_back(x, round);
  return problem;
}

Task<Gateway::Step> Gateway::admit_in_redis(Exchange& x) {
  Round round(x.admission, Of::redis);
  round.asked = Moment{services_.clock.steady(), services_.clock.wall()};
  Step problem = take_share(x, round);
  if (!problem) problem = collect(x, round, Stage::redis);
  if (!problem && !round.empty()) {
    outage_->hand_over(round.checks());
    const auto agreed = co_await x.snapshot->redis->decide(round.checks(), round.decisions());
    problem = agreed.has_value() ? conclude(x, round, *agreed) : fall_back(x, round);
    if (!problem && round.of == Of::redis && round.share.empty()) problem = take_share_late(x, round);
  }
  if (problem)
    give_back(x, round);
  else if (round.of == Of::fallback)
    for (const auto& asked : round.limits()) outage_->counted(x, asked);
  co_return problem;
}

/// A question for every limit of this stage that applies. A problem, and no question, where one of them need not even
/// be asked to refuse.
Gateway::Step Gateway::collect(Exchange& x, Round& round, Stage stage) {
  const auto refuse = [&round](const Problem& problem) {
    round.drop();
    return Step(problem);
  };
  for (const auto& route_limit : x.route->asked_at(stage)) {
    const auto& limit = *route_limit.limit;
    const bool enforced = limit.mode == limit::Mode::enforce;
    const bool counted_here = limit.if_redis_down == IfRedisDown::count_locally;
    if (round.of == Of::share && !(enforced && counted_here)) continue;
    const auto resolved = resolve_limit(x, route_limit);
    if (resolved.key_missing && enforced && (round.of == Of::memory || round.of == Of::redis))
      return refuse(key_missing(x, limit));
    if (!resolved.applies) continue;
    if (round.of == Of::fallback && enforced && limit.if_redis_down == IfRedisDown::reject)
      return refuse(uncountable(limit));
    if (round.of == Of::fallback && !counted_here) continue;
    if (!append(x.admission, route_limit, resolved, round.source())) return refuse(too_many_rules(x, limit));
  }
  return {};
}

/// For a moment after an outage other gateways may still have to charge Redis for what they let through: so that nobody
/// is granted their share meanwhile, ours must agree as well. What it takes is not owed: Redis is asked for it too, and
/// it is Redis that the caller is told of.
Gateway::Step Gateway::take_share(Exchange& x, Round& round) {
  if (round.asked.steady >= x.snapshot->redis->recovering_until()) return {};
  round.of = Of::share;
  if (auto problem = collect(x, round, Stage::redis)) return problem;
  if (!round.empty() && !services_.memory.decide(round.checks(), round.asked.wall, round.decisions()))
    return conclude(x, round, false);
  round.share.assign(round.checks().begin(), round.checks().end());
  round.drop();
  round.of = Of::redis;
  return {};
}

/// The outage ended while Redis was asked: the call waited for the probe. So the share is asked now, and Redis gets
/// back what it granted if the share rejects.
Gateway::Step Gateway::take_share_late(Exchange& x, const Round& round) {
  auto& redis = *x.snapshot->redis;
  if (round.asked.steady >= redis.recovering_until()) return {};
  Round late(x.admission, Of::share);
  late.asked = Moment{services_.clock.steady(), services_.clock.wall()};
  if (collect(x, late, Stage::redis)) return {};  // there is no room for so many checks beside those of Redis
  if (late.empty() || services_.memory.decide(late.checks(), late.asked.wall, late.decisions())) {
    late.drop();
    return {};
  }
  const Step problem = conclude(x, late, false);
  std::vector<limit::Check> granted;
  for (std::size_t at = round.first_check; at < late.first_check; ++at) {
    const auto& check = x.admission.checks[at];
    if (!taken(check, x.admission.decisions[at]) || !check.rule->algorithm->gives_back_late) continue;
    granted.push_back(check);
    granted.back().cost = -check.cost;
    granted.back().how = How::take;
  }
  if (!granted.empty()) redis.settle(granted);
  return problem;
}

/// Redis does not answer: each limit says what happens then.
Gateway::Step Gateway::fall_back(Exchange& x, Round& round) {
  round.drop();
  return_share(round);
  round.of = Of::fallback;
  if (auto problem = collect(x, round, Stage::redis)) return problem;
  return decide_here(x, round);
}

Gateway::Step Gateway::decide_here(Exchange& x, Round& round) {
  if (round.empty()) return {};
  round.asked = Moment{services_.clock.steady(), services_.clock.wall()};
  return conclude(x, round, services_.memory.decide(round.checks(), round.asked.wall, round.decisions()));
}

/// Tells of the rule that binds: of those refused in this round, else of all asked so far. Limits observed bind nobody.
Gateway::Step Gateway::conclude(Exchange& x, Round& round, bool agreed) const {
  auto& a = x.admission;
  const auto took = std::chrono::duration_cast<Duration>(services_.clock.steady() - round.asked.steady);
  for (auto& asked : round.limits()) {
    asked.took = took;
    asked.asked_at = round.asked.steady;
    asked.asked_on = round.asked.wall;
    const auto* const first = a.decisions.data() + asked.first;
    asked.refused = !std::all_of(first, first + asked.count, [](const auto& decision) { return decision.allowed; });
  }
  a.outcome = agreed ? Admission::Outcome::allowed : Admission::Outcome::rejected;
  const auto from = agreed ? 0 : round.first_limit;
  for (std::size_t i = from; i < a.limits.size(); ++i) {
    const auto& asked = a.limits[i];
    if (asked.route_limit->limit->mode == limit::Mode::observe) continue;
    for (std::size_t at = asked.first; at < asked.first + std::size_t{asked.count}; ++at)
      a.delay = std::max(a.delay, a.decisions[at].delay);
  }
  a.bind(from);
  if (agreed) return {};
  return rejection(x, x.snapshot->compiled->options().rejection);
}

/// Returns what earlier rounds took, because this one refuses the request, and what was taken ahead of this one.
void Gateway::give_back(Exchange& x, Round& round) {
  auto& a = x.admission;
  return_share(round);
  a.returned = true;
  boost::container::static_vector<limit::Check, Admission::kMax> returned;
  for (std::size_t i = 0; i < round.first_check; ++i)
    if (taken(a.checks[i], a.decisions[i])) returned.push_back(a.checks[i]);
  if (a.outcome == Admission::Outcome::allowed) a.binding = nullptr;  // its numbers are no longer true
  if (!returned.empty()) services_.memory.give_back({returned.data(), returned.size()}, services_.clock.wall());
}

void Gateway::return_share(Round& round) {
  if (!round.share.empty()) services_.memory.give_back(round.share, services_.clock.wall());
  round.share.clear();
}

}  // namespace headgate::gateway
