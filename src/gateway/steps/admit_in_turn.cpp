// Admits a request whose limits in flight let it wait for a permit: first come, first served.

#include "gateway/admission/give_back.hpp"
#include "gateway/admission/rounds.hpp"
#include "gateway/limits/longest_wait.hpp"
#include "steps.hpp"

#include "headgate/limit/in_flight.hpp"

namespace headgate::gateway {
namespace {

/// Rejects a request that others wait before, and takes nothing, also if a permit is free at this moment: that one is
/// theirs.
void reject_behind(Path& path, Exchange& x, Round& round) {
  const auto checks = std::span(x.admission.checks).subspan(round.first_check);
  std::array<std::int64_t, Admission::kMax> costs;
  for (std::size_t i = 0; i < checks.size(); ++i) costs[i] = std::exchange(checks[i].cost, 0);
  round.asked = RoundTime{path.services.clock.steady(), path.services.clock.wall()};
  path.services.memory.decide(round.checks(), round.asked.wall, round.decisions());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    checks[i].cost = costs[i];
    if (!Turn::can_wait(checks[i])) continue;
    auto& decision = round.decisions()[i];
    decision.allowed = false;
    decision.remaining = 0;
    decision.retry_after = decision.reset_after = limit::kFlightRetry;
  }
  conclude(path, x, round, false);
}

/// One try for limits in memory.
MaybeProblem admit_or_stand(Path& path, Exchange& x, Stage stage, Turn& turn) {
  Round round(x.admission, RoundKind::memory, stage);
  MaybeProblem problem = collect(path, x, round);
  if (!problem) {
    const auto may = turn.begin(round.batch());
    if (may == Turn::May::not_pass) reject_behind(path, x, round);
    if (may == Turn::May::not_pass || (may == Turn::May::ask && !decide_here(path, x, round)))
      tell_rejection(x, problem);
    if (may == Turn::May::wait || (problem && turn.stays(round.batch()))) {
      round.drop();
      return {};
    }
  }
  if (problem && x.appointments.kept && used_before(x, round)) return admit_or_stand(path, x, stage, turn);
  if (problem)
    give_back(path, x);
  else
    InFlight::show(x, round.first_limit);
  if (problem && x.route->takes(Step::appointments)) offer_here(path, x, *problem);
  if (problem && x.route->checks(Stage::redis)) tell_known_waits(x, stage, *problem);
  return problem;
}

}  // namespace

// While it waits, the request keeps what earlier stages took, and takes nothing of this one: when it has its turn, all
// limits of the stage are asked again.
Task<MaybeProblem> admit_in_turn(Path& path, Exchange& x, Stage stage) {
  const auto before = x.admission.outcome;
  const auto delay = x.admission.delay;
  Turn turn(*path.turns, x);
  for (;;) {
    MaybeProblem problem;
    if (stage == Stage::redis)
      problem = co_await admit_in_redis(path, x, RoundPart::but_guesses, &turn);
    else
      problem = admit_or_stand(path, x, stage, turn);
    if (!turn.waits()) {
      if (!problem) turn.admitted();
      co_return problem;
    }
    x.admission.outcome = before;
    x.admission.delay = delay;
    x.admission.binding = nullptr;
    co_await turn.wait();
    if (x.client_gone) co_return MaybeProblem{};  // nobody wants an answer: the step `serve` ends the exchange
  }
}

}  // namespace headgate::gateway
