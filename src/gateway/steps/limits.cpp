// Checks the limits of one stage of the route, in memory or in Redis: all take their permits, or none does.

#include "gateway/admission/give_back.hpp"
#include "gateway/admission/rounds.hpp"
#include "gateway/limits/limit_counters.hpp"
#include "gateway/limits/longest_wait.hpp"
#include "gateway/limits/shards.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include "headgate/limit/algorithm.hpp"

#include <vector>

namespace headgate::gateway {
namespace {

using Share = std::vector<limit::Check>;

/// For some time after an outage other gateways may still have to charge Redis for what they let through. Until then
/// this gateway's own share must allow the request as well. The share is not charged to Redis later, because Redis
/// counts the request too. The numbers for the caller come from Redis. What was taken is in `share`.
MaybeProblem take_share(Path& path, Exchange& x, Round& round, Share& share) {
  MaybeProblem problem;
  if (round.asked.steady >= x.snapshot->redis->recovering_until()) return problem;
  round.kind = RoundKind::share;
  problem = collect(path, x, round);
  if (problem) return problem;
  if (!round.empty() && !path.services.memory.decide(round.checks(), round.asked.wall, round.decisions())) {
    conclude(path, x, round, false);
    tell_rejection(x, problem);
    return problem;
  }
  share.assign(round.checks().begin(), round.checks().end());
  round.drop();
  round.kind = RoundKind::redis;
  return problem;
}

void return_share(Path& path, Share& share) {
  if (!share.empty()) path.services.memory.give_back(share, path.services.clock.wall());
  share.clear();
}

/// The outage ended during the call to Redis, which waited for the probe. So the share is checked now. If it rejects,
/// Redis gets back what it allowed.
MaybeProblem take_share_late(Path& path, Exchange& x, const Round& round) {
  auto& redis = *x.snapshot->redis;
  if (round.asked.steady >= redis.recovering_until()) return {};
  Round late(x.admission, RoundKind::share, round.stage, round.part);
  late.asked = RoundTime{path.services.clock.steady(), path.services.clock.wall()};
  if (collect(path, x, late)) return {};  // too many checks beside those of Redis
  if (late.empty() || path.services.memory.decide(late.checks(), late.asked.wall, late.decisions())) {
    late.drop();
    return {};
  }
  conclude(path, x, late, false);
  MaybeProblem problem;
  tell_rejection(x, problem);
  std::vector<limit::Check> granted;
  for (std::size_t at = round.first_check; at < late.first_check; ++at) {
    const auto& check = x.admission.checks[at];
    if (!x.admission.decisions[at].allowed || !check.rule->algorithm->gives_back_late || check.rule->count_rejected)
      continue;
    granted.push_back(given_back(check));
  }
  x.admission.held = round.first_limit;
  if (!granted.empty() && !x.admission.peek) redis.settle(granted);
  return problem;
}

/// Redis does not answer: `if_redis_down` of each limit decides.
MaybeProblem fall_back(Path& path, Exchange& x, Round& round) {
  round.drop();
  round.kind = RoundKind::fallback;
  MaybeProblem problem = collect(path, x, round);
  if (!problem && !decide_here(path, x, round)) tell_rejection(x, problem);
  return problem;
}

/// `problem` is what the caller is told, also afterwards.
void reject_here(Path& path, Exchange& x, Round& round, MaybeProblem& problem) {
  if (x.appointments.kept && used_before(x, round)) {
    problem = admit(path, x, round.stage);
    return;
  }
  give_back(path, x);
  if (x.route->takes(Step::appointments)) offer_here(path, x, *problem);
  if (x.route->checks(Stage::redis)) tell_known_waits(x, round.stage, *problem);
}

}  // namespace

// Collects the checks of the limits and decides them. If one limit rejects, everything is given back. No coroutine
// here: its frame would cost as much as the decision.
constexpr StepCounts kLimitCounts = counts_in<TierCounters>();

MaybeProblem admit(Path& path, Exchange& x, Stage stage) {
  Round round(x.admission, RoundKind::memory, stage);
  MaybeProblem problem = collect(path, x, round);
  if (!problem && !decide_here(path, x, round)) tell_rejection(x, problem);
  if (problem)
    reject_here(path, x, round, problem);
  else if (x.route->takes(Step::in_flight) && !x.admission.peek)
    InFlight::show(x, round.first_limit);
  return problem;  // the only return, so that it is never copied
}

Task<MaybeProblem> admit_in_redis(Path& path, Exchange& x, RoundPart part, Turn* turn) {
  Round round(x.admission, RoundKind::redis, Stage::redis, part);
  const bool peek = x.admission.peek;
  const bool in_flight = x.route->takes(Step::in_flight) && !peek && part != RoundPart::guesses;
  if (in_flight) path.in_flight->name(x);
  round.asked = RoundTime{path.services.clock.steady(), path.services.clock.wall()};
  Share share;
  MaybeProblem problem = take_share(path, x, round, share);
  if (!problem) problem = collect(path, x, round);
  if (turn && !problem && turn->begin(round.batch()) == Turn::May::wait) {
    return_share(path, share);
    round.drop();
    co_return problem;
  }
  if (!problem && !round.empty()) {
    path.outage->hand_over(x, round.limits());
    auto agreed = co_await x.snapshot->redis->decide(round.checks(), round.decisions());
    if (agreed.has_value() && !*agreed && in_shards(round)) agreed = co_await ask_other_shards(x, round);
    if (agreed.has_value()) {
      conclude(path, x, round, *agreed);
      if (!*agreed) tell_rejection(x, problem);
    } else {
      return_share(path, share);
      problem = fall_back(path, x, round);
    }
    if (!problem && round.kind == RoundKind::redis && share.empty()) problem = take_share_late(path, x, round);
  }
  if (problem && turn && turn->stays(round.batch())) {
    return_share(path, share);
    round.drop();
    co_return MaybeProblem{};
  }
  if (problem && x.appointments.kept && used_before(x, round)) {
    return_share(path, share);
    co_return co_await admit_in_redis(path, x, part, turn);
  }
  if (problem) {
    return_share(path, share);
    give_back(path, x);
    if (x.route->takes(Step::appointments)) co_await offer_in_redis(path, x, *problem);
    tell_known_waits(x, part == RoundPart::guesses ? Stage::memory : Stage::redis, *problem);
  } else if (round.kind == RoundKind::fallback && !peek) {
    for (const auto& checked : round.limits())
      if (checked.decision != LimitDecision::kept) path.outage->counted(x, checked);
  }
  if (!problem && in_flight) {
    InFlight::show(x, round.first_limit);
    path.in_flight->keep(x);
  }
  co_return problem;
}

}  // namespace headgate::gateway
