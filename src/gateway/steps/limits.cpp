// Checks the limits of one stage of the route, in memory or in Redis: all take their permits, or none does.

#include "gateway/admission/clamp.hpp"
#include "gateway/admission/give_back.hpp"
#include "gateway/admission/holds.hpp"
#include "gateway/admission/rounds.hpp"
#include "gateway/admission/stage_admission.hpp"
#include "gateway/limits/limit_counters.hpp"
#include "gateway/limits/longest_wait.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include <optional>

namespace headgate::gateway {
namespace {

/// Handles a rejection: `problem` becomes the answer to the caller, or empty if the request passes without its
/// appointment.
void reject_here(Path& path, Exchange& x, Round& round, MaybeProblem& problem) {
  if (x.appointments.kept && used_before(x, round)) {
    problem = admit(path, x, round.stage);
    return;
  }
  give_back(path, x);
  if (x.route->takes(Step::appointments)) offer_here(path, x, *problem);
  if (x.route->checks(Stage::redis)) tell_known_waits(x, round.stage, *problem);
}

/// Decides a rejected round once more, with smaller holds, if that may help. Returns false if the limits reject it
/// again.
bool decide_clamped(Path& path, Exchange& x, Round& round, Duration delay_before, MaybeProblem& problem) {
  if (clamp_output(x, round)) {
    round.drop();
    x.admission.binding = nullptr;
    x.admission.delay = delay_before;
    problem = collect(path, x, round);
    if (problem || decide_here(path, x, round)) return true;
  }
  x.clamped = 0;
  return false;
}

void hold_permits(Path& path, Exchange& x, const Round& round) {
  if (x.route->takes(Step::in_flight)) InFlight::show(x, round.first_limit);
  if (x.route->takes(Step::settle)) begin_holds(path, x, round);
}

}  // namespace

constexpr StepCounts kLimitCounts = counts_in<TierCounters>();

// Collects the checks of the limits and decides them. If one limit rejects, all permits are returned. This is not a
// coroutine, because a coroutine frame would cost as much as the decision. StageAdmission does the same, and can wait.
MaybeProblem admit(Path& path, Exchange& x, Stage stage) {
  Round round(x.admission, RoundKind::memory, stage);
  const auto delay_before = x.admission.delay;
  MaybeProblem problem = collect(path, x, round);
  if (!problem && !decide_here(path, x, round) && !decide_clamped(path, x, round, delay_before, problem))
    tell_rejection(path, x, problem);
  if (problem)
    reject_here(path, x, round, problem);
  else if (!x.admission.peek)
    hold_permits(path, x, round);
  return problem;  // this is the only return, so that the problem is never copied
}

bool may_wait_at(const Exchange& x, Stage stage) noexcept {
  return x.route->takes(Step::in_flight) && lets_wait(x.route->limits_at(stage)) && !x.admission.peek;
}

Task<MaybeProblem> admit_with_waits(Path& path, Exchange& x, Stage stage, RoundPart part) {
  using Next = StageAdmission::Next;
  std::optional<Turn> turn;
  if (part != RoundPart::guesses && may_wait_at(x, stage)) turn.emplace(*path.turns, x);
  StageAdmission admission(path, x, stage, part, turn ? &*turn : nullptr);
  for (auto next = admission.begin(); next != Next::done;) {
    if (next == Next::ask) {
      const auto agreed = co_await x.snapshot->redis->decide(admission.checks(), admission.decisions());
      next = admission.redis_said(agreed);
    } else if (next == Next::wait) {
      co_await turn->wait();
      next = admission.turn_came();
    } else {
      co_await offer_in_redis(path, x, *admission.problem());
      next = admission.offered();
    }
  }
  co_return std::move(admission.problem());
}

}  // namespace headgate::gateway
