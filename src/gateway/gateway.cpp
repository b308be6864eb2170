#include "headgate/gateway/gateway.hpp"

#include "gateway/answers/room_answer.hpp"
#include "gateway/limits/appointments.hpp"
#include "gateway/limits/in_flight.hpp"
#include "gateway/limits/notices.hpp"
#include "gateway/limits/offences.hpp"
#include "gateway/limits/outage.hpp"
#include "gateway/limits/turns.hpp"
#include "gateway/record/trace.hpp"
#include "gateway/rooms/rooms.hpp"
#include "gateway/servers/mirrors.hpp"
#include "gateway/steps/redirect.hpp"
#include "lag_probe.hpp"

#include "headgate/gateway/request_id.hpp"

#include <random>
#include <utility>

namespace headgate::gateway {

namespace {

constexpr unsigned kTooMany = 429;  // nothing is wrong with such a request itself

std::unique_ptr<identity::TokenCache> token_cache(const Snapshot& snapshot) {
  const auto& jwt = snapshot.compiled->identity().jwt;
  return std::make_unique<identity::TokenCache>(jwt ? jwt->remember : 0);
}

}  // namespace

Gateway::Gateway(Services services, SnapshotPtr snapshot)
    : services_(services),
      snapshot_(std::move(snapshot)),
      outage_(std::make_shared<Outage>(services.clock, services.memory)),
      turns_(std::make_unique<Turns>(services.clock, services.flights)),
      in_flight_(std::make_unique<InFlight>(services.clock, services.memory, *turns_)),
      offences_(std::make_shared<Offences>(services.clock, services.memory, services.bans)),
      notices_(std::make_unique<Notices>(services.clock, services.notices)),
      rooms_(std::make_shared<Rooms>(services.clock, services.rooms)),
      shard_turns_(std::random_device()()),
      mirrors_(std::make_shared<Mirrors>(services.clock, services.lent)),
      appointments_(std::make_unique<Appointments>()),
      tokens_(token_cache(*snapshot_)) {
  outage_->adopt(snapshot_->redis);
  watch_lag();
}

Gateway::~Gateway() { mirrors_->stop(); }

void Gateway::adopt(SnapshotPtr snapshot) {
  // Results that were found with other keys are not valid any more. No exchange is between reading and writing this
  // cache now.
  if (snapshot->key_overrides->jwt() != snapshot_->key_overrides->jwt()) tokens_ = token_cache(*snapshot);
  snapshot_->counters->clear_gauges();
  snapshot_ = std::move(snapshot);
  outage_->adopt(snapshot_->redis);
  watch_lag();
}

void Gateway::stop() {
  outage_->stop();
  in_flight_->stop();
  offences_->stop();
  rooms_->stop();
  mirrors_->stop();
  lag_.reset();
}

/// The steps that need only the head.
Gateway::Step Gateway::arrive(Exchange& x) {
  Step problem = find_route(x);
  if (!problem) problem = check_body(x);
  if (!problem) problem = identify(x);
  if (!problem && https_port_of(x) != 0) problem = redirect(x);
  return problem;
}

// The order of the steps and its reasons are in docs/architecture.md, "The path". A route with extras has more of them,
// and so has every route while an operator's suspension is in force.
Task<void> Gateway::handle(Exchange& x) {
  x.snapshot = snapshot_;
  x.request_id = request_id(x);
  if (x.snapshot->compiled->options().tracing) begin_trace(x, *x.snapshot->compiled->options().tracing);
  Step problem = arrive(x);
  if (!problem && (x.route->extras || services_.bans.operated())) {
    problem = co_await steps_with_extras(x);
  } else {
    if (!problem && x.route->checks(Stage::memory)) problem = admit(x, Stage::memory);
    if (!problem) problem = authenticate(x);
    if (!problem && x.route->checks(Stage::memory_after_auth)) problem = admit(x, Stage::memory_after_auth);
    if (!problem && x.route->checks(Stage::redis)) problem = co_await admit_in_redis(x);
    if (!problem && x.admission.delay > Duration(0)) co_await delay(x);
  }
  const bool refused = problem.has_value();
  if (!refused) problem = co_await serve(x);
  if (x.route && x.route->settles) settle(x, problem, refused ? Served::no : Served::yes);
  if (problem) {
    if (x.route && !x.route->bans.empty()) co_await suspend_first(x, *problem);
    // An operator may have ended it while it waited for what refuses it.
    if (auto ended = problem_of_operator(x)) problem = ended;
    if (problem->ended_by == EndedBy::waiting_room)
      co_await send_wait(x, *problem);
    else
      co_await send_problem(x, *problem, x.snapshot->compiled->options().rejection.headers);
    if (problem->status < kTooMany) keep_refused(x);
  }
  finish(x);
}

}  // namespace headgate::gateway
