#include "rounds.hpp"

#include "gateway/answers/problem_words.hpp"
#include "gateway/callers/key_missing.hpp"
#include "gateway/limits/appointments.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/limits/shards.hpp"
#include "holds.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

using limit::How;
using limit::IfRedisDown;

/// Returns the refusal of a request that needs too many rules. The configuration check and ActiveCredentials prevent
/// such requests.
Problem too_many_rules(Exchange& x, const limit::Limit& limit) {
  x.reason = "the request is under more rates than one request can be counted by";
  return {.status = 500,
          .ended_by = EndedBy::bug,
          .detail = "Requests cannot be counted here, and uncounted requests are not allowed.",
          .limit = limit.name};
}

/// Appends the rules of a limit. Returns false if the request would exceed the maximum number of rules. Always inlined,
/// because it runs for every limit of every request.
[[nodiscard, gnu::always_inline]] inline bool append_rules(Admission& a, const RouteLimit& route_limit,
                                                           const ResolvedLimit& resolved, Source source,
                                                           const std::vector<limit::Rule>& rules, std::int64_t cost,
                                                           std::string_view token) {
  if (a.checks.size() + rules.size() > Admission::kMax) return false;
  a.make_room(rules.size());
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

/// Returns the time after which the same request would be allowed by the limits that count rejected requests.
Duration again_after(const Admission& a, RoundTime now) {
  Duration longest(0);
  for (const auto& checked : a.limits) {
    if (!checked.route_limit->limit->count_rejected || checked.route_limit->limit->mode != limit::Mode::enforce)
      continue;
    const auto ago = std::chrono::duration_cast<Duration>(now.steady - checked.asked_at);
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i)
      longest = std::max(longest, a.decisions[i].again_after - ago);
  }
  return longest;
}

/// Appends the only check of an appointment that the request keeps: whether the appointment was used before.
[[nodiscard]] bool append_kept(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved,
                               Source source) {
  auto& a = x.admission;
  if (a.checks.size() == Admission::kMax) return false;
  a.make_room(1);
  a.limits.push_back({.route_limit = &route_limit,
                      .tier = resolved.tier,
                      .source = source,
                      .first = static_cast<std::uint8_t>(a.checks.size()),
                      .count = 1,
                      .decision = LimitDecision::kept,
                      .used = resolved.cost});
  const auto& use = x.appointments.kept->use;
  a.checks.push_back({.rule = &use,
                      .key = resolved.key,
                      .hash = keyed_hash(x.text.join({use.suffix, resolved.key}), use.seed),
                      .peek = a.peek});
  return true;
}

/// Appends the checks of a limit of requests in flight, a limit with appointments, or a limit with shards. Returns
/// false if there are too many checks.
[[nodiscard]] bool append_special(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved,
                                  Source source, limit::ShardTurns& turns) {
  if (x.appointments.kept && x.appointments.kept->of == &route_limit && !x.appointments.kept->used)
    return append_kept(x, route_limit, resolved, source);
  const auto& tier = *resolved.tier;
  const bool in_flight = route_limit.ready->in_flight;
  const bool sharded = source == Source::redis && tier.shards > 1;
  const auto& rules = source == Source::fallback ? tier.local->current().rules : sharded ? tier.shard : tier.rules;
  if (!append_rules(x.admission, route_limit, resolved, source, rules, in_flight ? 1 : resolved.cost,
                    in_flight ? x.flight.token : std::string_view()))
    return false;
  if (sharded) use_shard(x, x.admission.limits.back(), resolved.key, turns);
  return true;
}

[[nodiscard]] bool append(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved, Source source,
                          limit::ShardTurns& turns) {
  if (!route_limit.ready->plain) return append_special(x, route_limit, resolved, source, turns);
  const auto& rules = source == Source::fallback ? resolved.tier->local->current().rules : resolved.tier->rules;
  return append_rules(x.admission, route_limit, resolved, source, rules, resolved.cost, {});
}

}  // namespace

Problem uncountable(const limit::Limit& limit) {
  return {.status = 503,
          .ended_by = EndedBy::limit,
          .detail = "Requests cannot be counted at the moment, and uncounted requests are not allowed here.",
          .limit = limit.name,
          .retry_after = 1};
}

namespace {

MaybeProblem collect_route(Path& path, Exchange& x, Round& round) {
  const auto fail = [&round](const Problem& problem) {
    round.drop();
    return MaybeProblem(problem);
  };
  for (const auto& route_limit : x.route->limits_at(round.stage)) {
    if (!is_in(round.part, route_limit)) continue;
    const auto& limit = *route_limit.limit;
    const bool enforced = limit.mode == limit::Mode::enforce;
    const bool counted_here = limit.if_redis_down == IfRedisDown::count_locally;
    // Permits of limits in flight are never charged later, because their holder registers them in Redis itself
    // (gateway/limits/in_flight).
    if (round.kind == RoundKind::share && (!enforced || !counted_here || route_limit.ready->in_flight)) continue;
    const auto resolved = resolve_limit(x, route_limit);
    if (resolved.key_missing && enforced && (round.kind == RoundKind::memory || round.kind == RoundKind::redis))
      return fail(key_missing(path.services.memory, x, limit));
    if (!resolved.applies) {
      if (limit.bill && resolved.tier != nullptr && round.kind != RoundKind::share) note_unchecked(x, route_limit);
      continue;
    }
    if (!route_limit.ready->plain && limit.appointments && enforced)
      if (const auto early = keep_appointment(path, x, route_limit, resolved)) return fail(*early);
    if (round.kind == RoundKind::fallback) {
      if (enforced && limit.if_redis_down == IfRedisDown::reject) return fail(uncountable(limit));
      if (!counted_here) {
        if (limit.bill) note_unchecked(x, route_limit);
        continue;
      }
    }
    if (!append(x, route_limit, resolved, round.source(), path.shard_turns)) return fail(too_many_rules(x, limit));
  }
  return {};
}

/// Returns whether the current descriptor gives hits back that must wait for the limits of a later round, because a
/// rejected call gives nothing back.
bool gives_back_later(const RateLimitCall& call, const Round& round) {
  if (!call.descriptor().gives_back) return false;
  return round.kind == RoundKind::share || (round.kind == RoundKind::memory && call.asks(Stage::redis));
}

/// Collects the checks of all descriptors of a call, each by the limits of its own route.
MaybeProblem collect_descriptors(Path& path, Exchange& x, Round& round) {
  auto& call = *x.rate_limit;
  const auto* const route = x.route;
  MaybeProblem problem;
  call.of_limit.resize(x.admission.limits.size());
  for (const auto& matched : call.matched) {
    x.route = matched.route;
    call.at = matched.descriptor;
    const auto first = x.admission.checks.size();
    problem = collect_route(path, x, round);
    if (gives_back_later(call, round))
      for (auto i = first; i < x.admission.checks.size(); ++i) x.admission.checks[i].cost = 0;
    call.of_limit.resize(x.admission.limits.size(), matched.descriptor);
    if (problem) break;
  }
  x.route = route;
  return problem;
}

}  // namespace

MaybeProblem collect(Path& path, Exchange& x, Round& round) {
  if (x.rate_limit != nullptr) [[unlikely]]
    return collect_descriptors(path, x, round);
  return collect_route(path, x, round);
}

void give_back_hits(Path& path, Exchange& x) {
  auto& a = x.admission;
  if (a.peek) return;
  for (const auto& checked : a.limits) {
    if (checked.used >= 0 || checked.source != Source::memory) continue;
    const auto checks = std::span(a.checks.data() + checked.first, checked.count);
    if (checks.front().cost != 0) continue;  // the hits were given back in their round
    for (auto& check : checks) check.cost = checked.used;
    path.services.memory.decide(checks, path.services.clock.wall(),
                                {a.decisions.data() + checked.first, checked.count});
  }
}

bool decide_here(Path& path, Exchange& x, Round& round) {
  if (round.empty()) return true;
  round.asked = RoundTime{path.services.clock.steady(), path.services.clock.wall()};
  const bool agreed = path.services.memory.decide(round.checks(), round.asked.wall, round.decisions());
  conclude(path, x, round, agreed);
  return agreed;
}

void conclude(Path& path, Exchange& x, Round& round, bool agreed) {
  auto& a = x.admission;
  const auto took = std::chrono::duration_cast<Duration>(path.services.clock.steady() - round.asked.steady);
  for (auto& checked : round.limits()) {
    checked.took = took;
    checked.asked_at = round.asked.steady;
    checked.asked_at_wall = round.asked.wall;
    const bool enforced = checked.route_limit->limit->mode == limit::Mode::enforce;
    for (std::size_t at = checked.first; at < checked.first + std::size_t{checked.count}; ++at) {
      const auto& decision = a.decisions[at];
      if (!decision.allowed) checked.decision = LimitDecision::rejected;
      if (enforced) a.delay = std::max(a.delay, decision.delay);
    }
  }
  a.outcome = agreed ? Admission::Outcome::allowed : Admission::Outcome::rejected;
  if (x.route->takes(Step::settle)) expect_ends(path, x, round, agreed);
  a.bind(agreed ? 0 : round.first_limit);
  if (agreed) {
    a.held = a.limits.size();
    return;
  }
  auto& told = a.decisions[a.rule].retry_after;
  if (told < limit::kNever) told = std::max(told, again_after(a, round.asked));
}

void tell_rejection(Path& path, Exchange& x, MaybeProblem& problem) {
  const auto& a = x.admission;
  const auto& decision = a.decision();
  auto& told = problem.emplace();
  told.status = kRejectedStatus;
  told.ended_by = EndedBy::limit;
  told.limit = a.binding->route_limit->limit->name;
  told.body = ProblemBody::of_rejection;
  if (decision.retry_after >= limit::kNever && !limit::is_balance(a.binding_rule())) {
    told.detail = "This request costs more than its limit ever allows at once.";
    return;
  }
  tell_budget(path, x, told);
}

}  // namespace headgate::gateway
