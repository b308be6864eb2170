// Load shedding: refuses a request because there are too many, before a connection to a server is taken. The layer
// "fleet" is a limit in flight, and decided with the others (gateway/steps/admit).

#include "shed.hpp"

#include "gateway/lag_probe.hpp"
#include "gateway/limits/in_flight.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/outage.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/limits/round.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"

namespace headgate::gateway {
using shed::Layer;

shed::Concurrency* concurrency_of(const Exchange& x) noexcept {
  return x.snapshot->upstreams[x.route->upstream]->concurrency();
}

namespace {

shed::Overload* overload_of(const Exchange& x) noexcept { return x.snapshot->upstreams[x.route->upstream]->overload(); }

/// How many places the capacity has for a priority, if none is held free.
std::uint32_t fleet_places(const RouteLimit& route_limit, shed::Priority priority, Source source) noexcept {
  const auto& tier = route_limit.ready->tiers[static_cast<std::size_t>(priority)];
  return static_cast<std::uint32_t>((source == Source::fallback ? tier.local : tier.rules).front().burst);
}

}  // namespace

const std::vector<limit::Rule>& fleet_rules(const Exchange& x, const RouteLimit& route_limit, Source source) noexcept {
  const auto& sizes = route_limit.ready->tiers[static_cast<std::size_t>(x.effective)].sizes;
  const auto of = [source](const FleetSize& size) -> const std::vector<limit::Rule>& {
    return source == Source::fallback ? size.local : size.rules;
  };
  const auto* const overload = overload_of(x);
  if (overload == nullptr) return of(sizes.front());
  const auto most =
      overload->ceiling(Layer::fleet, x.effective, fleet_places(route_limit, shed::Priority::critical, source),
                        fleet_places(route_limit, shed::Priority::normal, source));
  for (const auto& size : sizes)
    if (of(size).front().burst <= most) return of(size);
  return of(sizes.back());
}

Problem shed_problem(Exchange& x, Layer layer, std::uint64_t retry_after) {
  static const std::string full =
      body_until_wait(503, "The servers behind this gateway have as much to do as they can. Try again in ");
  static const std::string behind = body_until_wait(503, "This gateway has more to do than it can. Try again in ");
  x.shed_by = layer;
  x.reason = to_text(layer);
  if (auto* const overload = overload_of(x); overload && !x.admission.peek)
    overload->shed(layer, x.priority, x.clock->steady());
  return {.status = 503,
          .ended_by = EndedBy::shed,
          .retry_after = retry_after,
          .body = x.snapshot->compiled->options().rejection.body,
          .until_wait = layer == Layer::loop_lag ? behind : full};
}

// Before the limits that cost a call, so that a refused request costs little: a place that is not there now will
// hardly be there a millisecond later.
Gateway::Step Gateway::shed(Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  const auto now = services_.clock.steady();
  x.priority = priority_of(x);
  auto* const overload = overload_of(x);
  x.effective = concurrency ? concurrency->effective(x.priority, now)
                : overload  ? overload->effective(x.priority, now)
                            : x.priority;
  Step problem;
  if (lag_ && !lag_->lag().calm() && lag_->lag().refuses(x.effective))
    problem = shed_problem(x, Layer::loop_lag, lag_->lag().retry_after(x.effective));
  else if (concurrency && !concurrency->queue() && !concurrency->admits(x.effective))
    problem = refuse_place(x, *concurrency);
  if (problem) return_all(x);
  return problem;
}

/// For a peek: only the priority, by which some tiers are chosen.
Gateway::Step Gateway::rank(Exchange& x) {
  x.priority = x.effective = priority_of(x);
  return {};
}

/// The limits of a stage, with the capacity of the upstream among them, have admitted the request or refused it: how
/// many places are held free for its priority follows.
void Gateway::note_fleet(Exchange& x, const Step& problem) {
  auto* const overload = overload_of(x);
  if (overload == nullptr || (problem && x.shed_by != Layer::fleet)) return;
  const auto& a = x.admission;
  for (const auto& checked : a.limits) {
    if (!checked.route_limit->ready->fleet) continue;
    const auto now = services_.clock.steady();
    if (problem)
      overload->refused(Layer::fleet, x.effective,
                        fleet_places(*checked.route_limit, shed::Priority::critical, checked.source), now);
    else
      overload->admitted(Layer::fleet, x.effective, static_cast<std::uint32_t>(a.decisions[checked.first].remaining),
                         now);
  }
}

// The point of admission. Who waited for a place has it already (gateway/steps/queue).
Gateway::Step Gateway::take_place(Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (x.client_gone) return {};
  if (!concurrency) {
    if (x.effective != x.priority) overload_of(x)->trickled(services_.clock.steady());
    return {};
  }
  if (!x.slot.held() && !concurrency->admits(x.effective)) {
    const Step problem = refuse_place(x, *concurrency);
    return_all(x);
    return problem;
  }
  const auto now = services_.clock.steady();
  if (x.effective != x.priority) concurrency->trickled(now);
  if (!x.slot.held()) x.slot.take(*concurrency, x.effective, now);
  x.snapshot->counters->show(x.route->upstream, *concurrency);
  return {};
}

Problem Gateway::refuse_place(Exchange& x, shed::Concurrency& concurrency) {
  concurrency.refused(x.effective, services_.clock.steady());
  return shed_problem(x, Layer::concurrency, seconds_up(limit::kFlightRetry));
}

void Gateway::leave_place(Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (!concurrency) return;
  if (x.slot.held()) x.client_gone ? x.slot.abandoned(services_.clock.steady()) : x.slot.leave();
  x.snapshot->counters->show(x.route->upstream, *concurrency);
}

void Gateway::watch_lag() {
  const auto tolerated = snapshot_->compiled->options().shedding.loop_lag;
  if (tolerated != lag_tolerated_)
    lag_ = tolerated > Duration(0) ? std::make_unique<LagProbe>(services_.clock, tolerated) : nullptr;
  lag_tolerated_ = tolerated;
  if (lag_) lag_->show(snapshot_->counters->loop_lag());
}

/// The request is not served, so it gives back all that limits took for it.
void Gateway::return_all(Exchange& x) {
  auto& a = x.admission;
  if (x.route->in_flight) in_flight_->release(x);
  boost::container::static_vector<limit::Check, Admission::kMax> here;
  std::vector<limit::Check> there;
  for (auto& checked : a.limits) {
    if (checked.route_limit->ready->in_flight || checked.asked_at == Clock::Steady()) continue;
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      const auto& check = a.checks[i];
      if (!a.decisions[i].allowed || check.cost <= 0) continue;
      if (checked.source != Source::redis) {
        here.push_back(check);
      } else if (check.rule->algorithm->gives_back_late) {
        there.push_back(given_back(check));
      }
    }
    if (checked.source == Source::fallback) {
      checked.used = 0;
      outage_->cost_more(x, checked);
    }
  }
  a.returned = true;
  a.binding = nullptr;  // its numbers are not true any more
  if (!here.empty()) services_.memory.give_back({here.data(), here.size()}, services_.clock.wall());
  if (!there.empty()) x.snapshot->redis->settle(there);
}

}  // namespace headgate::gateway
