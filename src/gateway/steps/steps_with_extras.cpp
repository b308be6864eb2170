// The steps between `identify` and `serve` of a route that has what most routes have not: suspensions, a waiting room,
// load shedding, a circuit breaker, requests in flight, bodies that are held. The others never come here, and pay for
// none of it.

#include "gateway/limits/in_flight.hpp"
#include "gateway/limits/notices.hpp"
#include "split.hpp"

#include "headgate/gateway/gateway.hpp"

namespace headgate::gateway {

// The order of the steps and its reasons are in docs/architecture.md, "The path".
Task<Gateway::Step> Gateway::steps_with_extras(Exchange& x) {
  const bool peek = x.admission.peek;
  if (x.preflight) co_return charge_preflight(x);
  if (x.route->usage) co_return may_ask_usage(x);
  if (x.route->split && !x.route->split->after_auth) choose_share(x);
  Step problem;
  if (x.route->bans_by_head()) problem = check_bans(x, false);
  if (!problem && services_.bans.operated()) problem = check_suspended(x, false);
  if (!problem && x.route->checks(Stage::memory)) {
    if (x.route->in_turn && !peek)
      problem = co_await admit_in_turn(x, Stage::memory);
    else
      problem = admit(x, Stage::memory);
    if (!problem && x.route->in_flight && !peek) in_flight_->show(x);
  }
  if (!problem && x.route->room && !peek) problem = co_await wait_in_room(x);
  if (!problem) problem = authenticate(x);
  if (!problem && x.route->split) choose_share(x);
  if (!problem && x.route->bans_after_auth()) problem = check_bans(x, true);
  if (!problem && services_.bans.operated()) problem = check_suspended(x, true);
  if (!problem && x.route->circuit && !peek) problem = check_circuit(x);
  if (!problem && x.route->sheds) problem = peek ? rank(x) : shed(x);
  if (!problem && x.route->checks(Stage::memory_after_auth)) {
    if (x.route->in_turn && !peek)
      problem = co_await admit_in_turn(x, Stage::memory_after_auth);
    else
      problem = admit(x, Stage::memory_after_auth);
    if (!problem && x.route->in_flight && !peek) in_flight_->show(x);
  }
  if (!problem && x.route->checks(Stage::redis)) {
    if (x.route->in_turn && !peek)
      problem = co_await admit_in_turn(x, Stage::redis);
    else
      problem = co_await admit_in_redis(x);
  }
  if (x.route->in_flight && x.route->sheds && !peek) note_fleet(x, problem);
  if (peek && !problem && x.route->after_body()) problem = co_await admit_held(x, x.route->plan.back().stage);
  if (peek) co_return problem;  // nobody waits, and no place is taken
  if (!problem && x.admission.delay > Duration(0)) co_await delay(x);
  if (!problem && x.route->delivery && x.route->delivery->held_body > 0) problem = co_await hold_body(x);
  if (!problem && x.route->after_body()) {
    problem = co_await admit_held(x, x.route->plan.back().stage);
    if (x.route->sheds) note_fleet(x, problem);
  }
  if (!problem && x.route->queue && waits_for_place(x)) problem = co_await wait_for_place(x);
  if (!problem && x.route->sheds) problem = take_place(x);
  if (!problem && x.route->server_queue && !takes_server(x)) problem = co_await wait_for_server(x);
  if (!problem && x.route->circuit) problem = pass_circuit(x);
  if (!problem && x.route->notices) notices_->admitted(x);
  co_return problem;
}

}  // namespace headgate::gateway
