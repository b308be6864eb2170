#include "stage_admission.hpp"

#include "clamp.hpp"
#include "gateway/limits/longest_wait.hpp"
#include "give_back.hpp"
#include "holds.hpp"
#include "rounds.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"

#include <array>
#include <utility>

namespace headgate::gateway {

StageAdmission::StageAdmission(Path& path, Exchange& x, Stage stage, RoundPart part, Turn* turn, AdmitFor whom) noexcept
    : path_(path),
      x_(x),
      turn_(turn),
      whom_(whom),
      round_(x.admission, stage == Stage::redis ? RoundKind::redis : RoundKind::memory, stage, part),
      outcome_before_(x.admission.outcome),
      delay_before_(x.admission.delay) {}

RoundTime StageAdmission::moment() const { return {path_.services.clock.steady(), path_.services.clock.wall()}; }

bool StageAdmission::in_flight() const noexcept {
  return x_.route->takes(Step::in_flight) && round_.part != RoundPart::guesses;
}

StageAdmission::Next StageAdmission::begin() {
  problem_.reset();
  round_.kind = in_redis() ? RoundKind::redis : RoundKind::memory;
  round_.asked = moment();
  if (in_redis()) {
    if (in_flight() && !x_.admission.peek) path_.in_flight->name(x_);
    take_share();
  }
  if (!problem_) problem_ = collect(path_, x_, round_);
  if (problem_) return rejected();
  const auto may = turn_ != nullptr ? turn_->begin(round_.batch()) : Turn::May::ask;
  if (may == Turn::May::wait) return stand_back();
  if (in_redis()) {
    if (round_.empty()) return admitted();
    path_.outage->hand_over(x_, round_.limits());
    return Next::ask;
  }
  if (may == Turn::May::ask) return decide_here();
  reject_behind_others();
  return rejected();
}

StageAdmission::Next StageAdmission::decide_here() {
  if (gateway::decide_here(path_, x_, round_)) return admitted();
  tell_rejection(path_, x_, problem_);
  return rejected();
}

/// Rejects a request because others are waiting ahead of it. Takes nothing, even if a permit is free, because that
/// permit belongs to the next request in line.
void StageAdmission::reject_behind_others() {
  const auto checks = std::span(x_.admission.checks).subspan(round_.first_check);
  std::array<std::int64_t, Admission::kMax> costs;
  for (std::size_t i = 0; i < checks.size(); ++i) costs[i] = std::exchange(checks[i].cost, 0);
  path_.services.memory.decide(round_.checks(), round_.asked.wall, round_.decisions());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    checks[i].cost = costs[i];
    if (!Turn::can_wait(checks[i])) continue;
    auto& decision = round_.decisions()[i];
    decision.allowed = false;
    decision.remaining = 0;
    decision.retry_after = decision.reset_after = limit::kFlightRetry;
  }
  conclude(path_, x_, round_, false);
  tell_rejection(path_, x_, problem_);
}

StageAdmission::Next StageAdmission::redis_said(const Result<bool>& agreed) {
  std::optional<bool> all;
  if (others_) {
    all = others_->said(agreed);
  } else if (agreed.has_error()) {
    return fall_back();
  } else if (!*agreed && in_shards(round_)) {
    all = others_.emplace(x_, round_).ask();
  } else {
    all = *agreed;
  }
  return all ? decided(*all) : Next::ask;
}

StageAdmission::Next StageAdmission::decided(bool agreed) {
  others_.reset();
  conclude(path_, x_, round_, agreed);
  if (!agreed) tell_rejection(path_, x_, problem_);
  if (agreed && share_.empty()) take_share_late();
  return problem_ ? rejected() : admitted();
}

/// Decides as `if_redis_down` of each limit says, because Redis does not answer.
StageAdmission::Next StageAdmission::fall_back() {
  return_share();
  round_.drop();
  if (whom_ == AdmitFor::candidate) return Next::failed;
  round_.kind = RoundKind::fallback;
  problem_ = collect(path_, x_, round_);
  return problem_ ? rejected() : decide_here();
}

StageAdmission::Next StageAdmission::stand_back() {
  return_share();
  round_.drop();
  problem_.reset();
  auto& a = x_.admission;
  a.outcome = outcome_before_;
  a.delay = delay_before_;
  a.binding = nullptr;
  return Next::wait;
}

StageAdmission::Next StageAdmission::turn_came() {
  return x_.client_gone ? Next::done : begin();  // If the client has left, the step `serve` ends the exchange.
}

StageAdmission::Next StageAdmission::rejected() {
  if (turn_ != nullptr && turn_->stays(round_.batch())) return stand_back();
  if (whom_ == AdmitFor::caller && !std::exchange(clamped_, true) && clamp_output(x_, round_)) {
    stand_back();
    return begin();
  }
  x_.clamped = 0;
  return_share();
  if (whom_ == AdmitFor::candidate) {
    give_back(path_, x_);
    return Next::done;
  }
  if (x_.appointments.kept && used_before(x_, round_)) return begin();
  give_back(path_, x_);
  if (!x_.route->takes(Step::appointments)) return offered();
  if (in_redis()) return Next::offer;
  offer_here(path_, x_, *problem_);
  return offered();
}

StageAdmission::Next StageAdmission::offered() {
  const bool before_proof = round_.part == RoundPart::guesses;
  if (x_.route->checks(Stage::redis) && x_.rate_limit == nullptr)
    tell_known_waits(x_, before_proof ? Stage::memory : round_.stage, *problem_);
  return Next::done;
}

StageAdmission::Next StageAdmission::admitted() {
  if (turn_ != nullptr) turn_->admitted();
  if (x_.admission.peek) return Next::done;
  if (round_.kind == RoundKind::fallback)
    for (const auto& checked : round_.limits())
      if (checked.decision != LimitDecision::kept) path_.outage->counted(x_, checked);
  if (x_.route->takes(Step::settle)) begin_holds(path_, x_, round_);
  if (in_flight()) {
    InFlight::show(x_, round_.first_limit);
    if (in_redis()) path_.in_flight->keep(x_);
  }
  return Next::done;
}

/// Charges this gateway's own share as well. For some time after an outage, other gateways may not yet have charged
/// Redis for all requests that they allowed. During this time, the share must also allow the request. The share is not
/// charged to Redis later, because Redis has counted the request already. The numbers for the client come from Redis.
void StageAdmission::take_share() {
  if (whom_ == AdmitFor::candidate || round_.asked.steady >= x_.snapshot->redis->recovering_until()) return;
  round_.kind = RoundKind::share;
  problem_ = collect(path_, x_, round_);
  if (problem_) return;
  if (!round_.empty() && !path_.services.memory.decide(round_.checks(), round_.asked.wall, round_.decisions())) {
    conclude(path_, x_, round_, false);
    return tell_rejection(path_, x_, problem_);
  }
  share_.assign(round_.checks().begin(), round_.checks().end());
  round_.drop();
  round_.kind = RoundKind::redis;
}

void StageAdmission::return_share() {
  if (!share_.empty()) path_.services.memory.give_back(share_, path_.services.clock.wall());
  share_.clear();
}

/// Does the same as take_share() if the outage ended during the call to Redis, which waited until Redis could be
/// reached again. If the share rejects, the permits that Redis granted are returned.
void StageAdmission::take_share_late() {
  auto& redis = *x_.snapshot->redis;
  if (whom_ == AdmitFor::candidate || round_.asked.steady >= redis.recovering_until()) return;
  auto& a = x_.admission;
  Round late(a, RoundKind::share, round_.stage, round_.part);
  late.asked = moment();
  if (collect(path_, x_, late)) return;  // The request has too many checks to add these, so the share is not charged.
  if (late.empty() || path_.services.memory.decide(late.checks(), late.asked.wall, late.decisions()))
    return late.drop();
  conclude(path_, x_, late, false);
  tell_rejection(path_, x_, problem_);
  std::vector<limit::Check> granted;
  std::vector<Duration> held_for;
  for (std::size_t at = round_.first_check; at < late.first_check; ++at) {
    const auto& check = a.checks[at];
    if (!a.decisions[at].allowed || !check.rule->algorithm->gives_back_late || check.rule->count_rejected) continue;
    granted.push_back(given_back(check));
    held_for.push_back(a.decisions[at].reset_after);
  }
  a.held = round_.first_limit;
  if (!granted.empty() && !a.peek) redis.settle(granted, held_for);
}

}  // namespace headgate::gateway
