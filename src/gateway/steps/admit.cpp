// Checks the limits of one stage of the route, in memory or in Redis: all take their permits, or none does.

#include "bill.hpp"
#include "gateway/limits/appointments.hpp"
#include "gateway/limits/in_flight.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/longest_wait.hpp"
#include "gateway/limits/outage.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/limits/round.hpp"
#include "gateway/limits/shards.hpp"
#include "gateway/limits/turns.hpp"
#include "shed.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

using limit::How;
using limit::IfRedisDown;

/// A request that cannot be counted is not let through. The configuration check and KeyOverrides make sure that this
/// does not happen.
Problem too_many_rules(Exchange& x, const limit::Limit& limit) {
  x.reason = "the request is under more rates than one request can be counted by";
  return {.status = 500,
          .ended_by = EndedBy::bug,
          .detail = "Requests cannot be counted here, and uncounted ones are not let through.",
          .limit = limit.name};
}

Problem uncountable(const limit::Limit& limit) {
  return {.status = 503,
          .ended_by = EndedBy::limit,
          .detail = "Requests cannot be counted at the moment, and uncounted ones are not let through here.",
          .limit = limit.name,
          .retry_after = 1};
}

Problem rejection(const Exchange& x, const Rejection& style) {
  const auto& a = x.admission;
  const auto& decision = a.decision();
  const auto& name = a.binding->route_limit->limit->name;
  if (decision.retry_after >= limit::kNever)
    return {.status = 429,
            .ended_by = EndedBy::limit,
            .detail = "This request costs more than is ever allowed at once here.",
            .limit = name,
            .body = style.body};
  return {.status = 429,
          .ended_by = EndedBy::limit,
          .limit = name,
          .retry_after = seconds_up(decision.retry_after),
          .body = style.body,
          .until_wait = a.rejection()};
}

bool taken(const limit::Check& check, const limit::Decision& decision) noexcept {
  return check.how == How::take || decision.allowed;
}

/// False if the request has more rules than one request may have. Always inline: each limit of each request comes here.
[[nodiscard, gnu::always_inline]] inline bool append_rules(Admission& a, const RouteLimit& route_limit,
                                                           const ResolvedLimit& resolved, Source source,
                                                           const std::vector<limit::Rule>& rules, std::int64_t cost,
                                                           std::string_view token) {
  if (a.checks.size() + rules.size() > Admission::kMax) return false;
  const auto how = route_limit.limit->mode == limit::Mode::observe ? How::observe : How::take;
  a.limits.push_back({.route_limit = &route_limit,
                      .tier = resolved.tier,
                      .source = source,
                      .first = static_cast<std::uint8_t>(a.checks.size()),
                      .count = static_cast<std::uint8_t>(rules.size()),
                      .used = cost});
  for (const auto& rule : rules)
    a.checks.push_back({.rule = &rule,
                        .key = resolved.key,
                        .hash = keyed_hash(resolved.key, rule.seed),
                        .cost = cost,
                        .how = how,
                        .token = token,
                        .peek = a.peek});
  return true;
}

/// The one check of an appointment that the request keeps: whether it was used before.
[[nodiscard]] bool append_kept(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved,
                               Source source) {
  auto& a = x.admission;
  if (a.checks.size() == Admission::kMax) return false;
  a.limits.push_back({.route_limit = &route_limit,
                      .tier = resolved.tier,
                      .source = source,
                      .first = static_cast<std::uint8_t>(a.checks.size()),
                      .count = 1,
                      .kept = true,
                      .used = resolved.cost});
  const auto& use = x.appointment->use;
  a.checks.push_back({.rule = &use,
                      .key = resolved.key,
                      .hash = keyed_hash(x.text.join({use.suffix, resolved.key}), use.seed),
                      .peek = a.peek});
  return true;
}

/// The same of a limit in flight, with appointments or in shards.
[[nodiscard]] bool append_extras(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved,
                                 Source source, limit::ShardTurns& turns) {
  if (x.appointment && x.appointment->of == &route_limit && !x.appointment->used)
    return append_kept(x, route_limit, resolved, source);
  const auto& tier = *resolved.tier;
  const bool in_flight = route_limit.ready->in_flight;
  const bool sharded = source == Source::redis && tier.shards > 1;
  const auto& rules = route_limit.ready->fleet     ? fleet_rules(x, route_limit, source)
                      : source == Source::fallback ? tier.local
                      : sharded                    ? tier.shard
                                                   : tier.rules;
  if (!append_rules(x.admission, route_limit, resolved, source, rules, in_flight ? 1 : resolved.cost,
                    in_flight ? x.token : std::string_view()))
    return false;
  if (sharded) use_shard(x, x.admission.limits.back(), resolved.key, turns);
  return true;
}

[[nodiscard]] bool append(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved, Source source,
                          limit::ShardTurns& turns) {
  if (route_limit.ready->extras) return append_extras(x, route_limit, resolved, source, turns);
  const auto& rules = source == Source::fallback ? resolved.tier->local : resolved.tier->rules;
  return append_rules(x.admission, route_limit, resolved, source, rules, resolved.cost, {});
}

}  // namespace

// Collects the checks of the limits and decides them. If one limit rejects, everything is given back. No coroutine
// here: its frame would cost as much as the decision.
Gateway::Step Gateway::admit(Exchange& x, Stage stage) {
  Round round(x.admission, RoundKind::memory, stage);
  Step problem = collect(x, round, stage);
  if (!problem) problem = decide_here(x, round);
  if (problem) reject_here(x, round, stage, problem);
  return problem;  // the only return, so that it is never copied
}

/// `problem` is what the caller is told, also afterwards.
void Gateway::reject_here(Exchange& x, Round& round, Stage stage, Step& problem) {
  if (x.appointment && used_before(x, round)) {
    problem = admit(x, stage);
    return;
  }
  give_back(x, round);
  if (x.route->appointments) offer_here(x, *problem);
  if (x.route->checks(Stage::redis)) tell_known_waits(x, stage, *problem);
}

Task<Gateway::Step> Gateway::admit_in_redis(Exchange& x, Turn* turn, Stage stage) {
  Round round(x.admission, RoundKind::redis, stage);
  const bool peek = x.admission.peek;
  if (x.route->in_flight && !peek) in_flight_->name(x);
  round.asked = Moment{services_.clock.steady(), services_.clock.wall()};
  Step problem = take_share(x, round);
  if (!problem) problem = collect(x, round, stage);
  if (turn && !problem && turn->begin(round) == Turn::May::wait) {
    return_share(round);
    round.drop();
    co_return problem;
  }
  if (!problem && !round.empty()) {
    outage_->hand_over(x, round.limits());
    auto agreed = co_await x.snapshot->redis->decide(round.checks(), round.decisions());
    if (x.route->sharded && agreed.has_value() && !*agreed) agreed = co_await ask_other_shards(x, round);
    problem = agreed.has_value() ? conclude(x, round, *agreed) : fall_back(x, round);
    if (!problem && round.kind == RoundKind::redis && round.share.empty()) problem = take_share_late(x, round);
  }
  if (problem && turn && turn->stays(round)) {
    return_share(round);
    round.drop();
    co_return Step{};
  }
  if (problem && x.appointment && used_before(x, round)) co_return co_await admit_in_redis(x, turn, stage);
  if (problem) {
    give_back(x, round);
    if (x.route->appointments) co_await offer_in_redis(x, *problem);
    tell_known_waits(x, Stage::redis, *problem);
  } else if (round.kind == RoundKind::fallback && !peek) {
    for (const auto& checked : round.limits())
      if (!checked.kept) outage_->counted(x, checked);
  }
  if (!problem && x.route->in_flight && !peek) {
    in_flight_->show(x);
    in_flight_->keep(x);
  }
  co_return problem;
}

/// Makes the checks of every limit of this stage that applies. Returns a problem, and no checks, if one limit refuses
/// or rejects without a check.
Gateway::Step Gateway::collect(Exchange& x, Round& round, Stage stage) {
  const auto fail = [&round](const Problem& problem) {
    round.drop();
    return Step(problem);
  };
  for (const auto& route_limit : x.route->limits_at(stage)) {
    const auto& limit = *route_limit.limit;
    const bool enforced = limit.mode == limit::Mode::enforce;
    const bool counted_here = limit.if_redis_down == IfRedisDown::count_locally;
    // A permit of a request in flight is not owed: its holder registers it in Redis itself (gateway/limits/in_flight).
    if (round.kind == RoundKind::share && (!enforced || !counted_here || route_limit.ready->in_flight)) continue;
    const auto resolved = resolve_limit(x, route_limit);
    if (resolved.key_missing && enforced && (round.kind == RoundKind::memory || round.kind == RoundKind::redis))
      return fail(key_missing(x, limit));
    if (!resolved.applies) {
      if (limit.bill && resolved.tier != nullptr && round.kind != RoundKind::share) note_unchecked(x, route_limit);
      continue;
    }
    if (route_limit.ready->extras && limit.appointments && enforced)
      if (const auto early = keep_appointment(x, route_limit, resolved)) return fail(*early);
    if (round.kind == RoundKind::fallback) {
      if (enforced && limit.if_redis_down == IfRedisDown::reject) return fail(uncountable(limit));
      if (!counted_here) {
        if (limit.bill) note_unchecked(x, route_limit);
        continue;
      }
    }
    if (!append(x, route_limit, resolved, round.source(), shard_turns_)) return fail(too_many_rules(x, limit));
  }
  return {};
}

/// For some time after an outage other gateways may still have to charge Redis for what they let through. Until then
/// this gateway's own share must allow the request as well. The share is not charged to Redis later, because Redis
/// counts the request too. The numbers for the caller come from Redis.
Gateway::Step Gateway::take_share(Exchange& x, Round& round) {
  if (round.asked.steady >= x.snapshot->redis->recovering_until()) return {};
  round.kind = RoundKind::share;
  if (auto problem = collect(x, round, round.stage)) return problem;
  if (!round.empty() && !services_.memory.decide(round.checks(), round.asked.wall, round.decisions()))
    return conclude(x, round, false);
  round.share.assign(round.checks().begin(), round.checks().end());
  round.drop();
  round.kind = RoundKind::redis;
  return {};
}

/// The outage ended during the call to Redis, which waited for the probe. So the share is checked now. If it rejects,
/// Redis gets back what it allowed.
Gateway::Step Gateway::take_share_late(Exchange& x, const Round& round) {
  auto& redis = *x.snapshot->redis;
  if (round.asked.steady >= redis.recovering_until()) return {};
  Round late(x.admission, RoundKind::share, round.stage);
  late.asked = Moment{services_.clock.steady(), services_.clock.wall()};
  if (collect(x, late, late.stage)) return {};  // too many checks beside those of Redis
  if (late.empty() || services_.memory.decide(late.checks(), late.asked.wall, late.decisions())) {
    late.drop();
    return {};
  }
  const Step problem = conclude(x, late, false);
  std::vector<limit::Check> granted;
  for (std::size_t at = round.first_check; at < late.first_check; ++at) {
    const auto& check = x.admission.checks[at];
    if (!taken(check, x.admission.decisions[at]) || !check.rule->algorithm->gives_back_late) continue;
    granted.push_back(given_back(check));
  }
  if (!granted.empty() && !x.admission.peek) redis.settle(granted);
  return problem;
}

/// Redis does not answer: `if_redis_down` of each limit decides.
Gateway::Step Gateway::fall_back(Exchange& x, Round& round) {
  round.drop();
  return_share(round);
  round.kind = RoundKind::fallback;
  if (auto problem = collect(x, round, round.stage)) return problem;
  return decide_here(x, round);
}

Gateway::Step Gateway::decide_here(Exchange& x, Round& round) {
  if (round.empty()) return {};
  round.asked = Moment{services_.clock.steady(), services_.clock.wall()};
  return conclude(x, round, services_.memory.decide(round.checks(), round.asked.wall, round.decisions()));
}

/// Finds the binding rule: among the limits of this round if one rejected, else among all limits so far. Observed
/// limits do not bind.
Gateway::Step Gateway::conclude(Exchange& x, Round& round, bool agreed) const {
  auto& a = x.admission;
  const auto took = std::chrono::duration_cast<Duration>(services_.clock.steady() - round.asked.steady);
  for (auto& checked : round.limits()) {
    checked.took = took;
    checked.asked_at = round.asked.steady;
    checked.asked_at_wall = round.asked.wall;
    const auto* const first = a.decisions.data() + checked.first;
    checked.rejected =
        !std::all_of(first, first + checked.count, [](const auto& decision) { return decision.allowed; });
  }
  a.outcome = agreed ? Admission::Outcome::allowed : Admission::Outcome::rejected;
  const auto from = agreed ? 0 : round.first_limit;
  for (std::size_t i = from; i < a.limits.size(); ++i) {
    const auto& checked = a.limits[i];
    if (checked.route_limit->limit->mode == limit::Mode::observe) continue;
    for (std::size_t at = checked.first; at < checked.first + std::size_t{checked.count}; ++at)
      a.delay = std::max(a.delay, a.decisions[at].delay);
  }
  a.bind(from);
  if (agreed) return {};
  if (a.binding == nullptr || a.decision().allowed) {  // none of a caller's own limits rejects
    a.binding = nullptr;
    return shed_problem(x, shed::Layer::fleet, seconds_up(limit::kFlightRetry));
  }
  return rejection(x, x.snapshot->compiled->options().rejection);
}

/// Gives back what earlier rounds took, because this round ends the request, and this round's share.
void Gateway::give_back(Exchange& x, Round& round) {
  auto& a = x.admission;
  return_share(round);
  if (comes_after_body(round.stage)) return return_all(x);  // earlier rounds were in Redis as well
  a.returned = true;
  boost::container::static_vector<limit::Check, Admission::kMax> returned;
  for (std::size_t i = 0; i < round.first_check; ++i)
    if (taken(a.checks[i], a.decisions[i])) returned.push_back(a.checks[i]);
  if (a.outcome == Admission::Outcome::allowed) a.binding = nullptr;  // its numbers are not true any more
  if (!returned.empty()) services_.memory.give_back({returned.data(), returned.size()}, services_.clock.wall());
  if (x.route->in_turn && !a.peek) turns_->freed({returned.data(), returned.size()});
}

void Gateway::return_share(Round& round) {
  if (!round.share.empty()) services_.memory.give_back(round.share, services_.clock.wall());
  round.share.clear();
}

}  // namespace headgate::gateway
