// Admits a request whose limits in flight let it wait for a permit: first come, first served.

#include "gateway/limits/longest_wait.hpp"
#include "gateway/limits/round.hpp"
#include "gateway/limits/turns.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/in_flight.hpp"

namespace headgate::gateway {

// While it waits, the request keeps what earlier stages took, and takes nothing of this one: when it has its turn, all
// limits of the stage are asked again.
Task<Gateway::Step> Gateway::admit_in_turn(Exchange& x, Stage stage) {
  const auto before = x.admission.outcome;
  const auto delay = x.admission.delay;
  Turn turn(*turns_, x);
  for (;;) {
    Step problem;
    if (is_in_redis(stage))
      problem = co_await admit_in_redis(x, &turn, stage);
    else
      problem = admit_or_stand(x, stage, turn);
    if (!turn.waits()) {
      if (!problem) turn.admitted();
      co_return problem;
    }
    x.admission.outcome = before;
    x.admission.delay = delay;
    x.admission.binding = nullptr;
    co_await turn.wait();
    if (x.client_gone) co_return Step{};  // nobody wants an answer: the step `serve` ends the exchange
  }
}

/// One try for limits in memory.
Gateway::Step Gateway::admit_or_stand(Exchange& x, Stage stage, Turn& turn) {
  Round round(x.admission, RoundKind::memory, stage);
  Step problem = collect(x, round, stage);
  if (!problem) {
    const auto may = turn.begin(round);
    if (may == Turn::May::ask) problem = decide_here(x, round);
    if (may == Turn::May::not_pass) problem = reject_behind(x, round);
    if (may == Turn::May::wait || (problem && turn.stays(round))) {
      round.drop();
      return {};
    }
  }
  if (problem && x.appointment && used_before(x, round)) return admit_or_stand(x, stage, turn);
  if (problem) give_back(x, round);
  if (problem && x.route->appointments) offer_here(x, *problem);
  if (problem && x.route->checks(Stage::redis)) tell_known_waits(x, stage, *problem);
  return problem;
}

/// Rejects a request that others wait before, and takes nothing, also if a permit is free at this moment: that one is
/// theirs.
Gateway::Step Gateway::reject_behind(Exchange& x, Round& round) {
  const auto checks = std::span(x.admission.checks).subspan(round.first_check);
  std::array<std::int64_t, Admission::kMax> costs;
  for (std::size_t i = 0; i < checks.size(); ++i) costs[i] = std::exchange(checks[i].cost, 0);
  round.asked = Moment{services_.clock.steady(), services_.clock.wall()};
  services_.memory.decide(round.checks(), round.asked.wall, round.decisions());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    checks[i].cost = costs[i];
    if (!Turn::can_wait(checks[i])) continue;
    auto& decision = round.decisions()[i];
    decision.allowed = false;
    decision.remaining = 0;
    decision.retry_after = decision.reset_after = limit::kFlightRetry;
  }
  return conclude(x, round, false);
}

}  // namespace headgate::gateway
