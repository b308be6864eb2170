// Load shedding: refuses a request because there are too many, before a connection to a server is taken. The layer
// "fleet" is a limit in flight, and decided with the others (gateway/steps/admit).

#include "shed.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "steps.hpp"

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
  const auto& sizes = route_limit.ready->tiers[static_cast<std::size_t>(x.shedding.effective)].sizes;
  const auto of = [source](const FleetSize& size) -> const std::vector<limit::Rule>& {
    return source == Source::fallback ? size.local : size.rules;
  };
  const auto* const overload = overload_of(x);
  if (overload == nullptr) return of(sizes.front());
  const auto most =
      overload->ceiling(Layer::fleet, x.shedding.effective, fleet_places(route_limit, shed::Priority::critical, source),
                        fleet_places(route_limit, shed::Priority::normal, source));
  for (const auto& size : sizes)
    if (of(size).front().burst <= most) return of(size);
  return of(sizes.back());
}

Problem shed_problem(Exchange& x, Layer layer, std::uint64_t retry_after) {
  static const UntilWait full =
      until_wait(503, "The servers behind this gateway have as much to do as they can. Try again in ");
  static const UntilWait behind = until_wait(503, "This gateway has more to do than it can. Try again in ");
  x.shedding.layer = layer;
  x.reason = to_text(layer);
  if (auto* const overload = overload_of(x); overload && !x.admission.peek)
    overload->shed(layer, x.shedding.priority, x.clock->steady());
  return {.status = 503,
          .ended_by = EndedBy::shed,
          .retry_after = retry_after,
          .body = x.snapshot->compiled->options().rejection.body,
          .until_wait = layer == Layer::loop_lag ? &behind : &full};
}

namespace {

Problem refuse_place(Exchange& x, shed::Concurrency& concurrency) {
  concurrency.refused(x.shedding.effective, x.clock->steady());
  return shed_problem(x, Layer::concurrency, seconds_up(limit::kFlightRetry));
}

}  // namespace

// Before the limits that cost a call, so that a refused request costs little: a place that is not there now will
// hardly be there a millisecond later.
MaybeProblem shed(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  const auto now = path.services.clock.steady();
  x.shedding.priority = priority_of(x);
  auto* const overload = overload_of(x);
  x.shedding.effective = concurrency ? concurrency->effective(x.shedding.priority, now)
                         : overload  ? overload->effective(x.shedding.priority, now)
                                     : x.shedding.priority;
  MaybeProblem problem;
  if (path.lag && !path.lag->lag().calm() && path.lag->lag().refuses(x.shedding.effective))
    problem = shed_problem(x, Layer::loop_lag, path.lag->lag().retry_after(x.shedding.effective));
  else if (concurrency && !concurrency->queue() && !concurrency->admits(x.shedding.effective))
    problem = refuse_place(x, *concurrency);
  return problem;
}

MaybeProblem rank(Path& /*path*/, Exchange& x) {
  x.shedding.priority = x.shedding.effective = priority_of(x);
  return {};
}

void note_capacity(Exchange& x, std::span<const CheckedLimit> limits, const MaybeProblem& problem) {
  auto* const overload = overload_of(x);
  if (overload == nullptr || x.admission.peek || (problem && x.shedding.layer != Layer::fleet)) return;
  for (const auto& checked : limits) {
    if (!checked.route_limit->ready->fleet) continue;
    if (problem)
      overload->refused(Layer::fleet, x.shedding.effective,
                        fleet_places(*checked.route_limit, shed::Priority::critical, checked.source),
                        x.clock->steady());
    else
      overload->admitted(Layer::fleet, x.shedding.effective,
                         static_cast<std::uint32_t>(x.admission.decisions[checked.first].remaining), x.clock->steady());
  }
}

// The point of admission. Who waited for a place has it already (gateway/steps/queue).
MaybeProblem take_place(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (x.client_gone) return {};
  if (!concurrency) {
    if (x.shedding.effective != x.shedding.priority) overload_of(x)->trickled(path.services.clock.steady());
    return {};
  }
  if (!x.shedding.slot.held() && !concurrency->admits(x.shedding.effective)) return refuse_place(x, *concurrency);
  const auto now = path.services.clock.steady();
  if (x.shedding.effective != x.shedding.priority) concurrency->trickled(now);
  if (!x.shedding.slot.held()) x.shedding.slot.take(*concurrency, x.shedding.effective, now);
  x.snapshot->counters->show(x.route->upstream, *concurrency);
  return {};
}

void leave_place(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (!concurrency) return;
  if (x.shedding.slot.held())
    x.client_gone ? x.shedding.slot.abandoned(path.services.clock.steady()) : x.shedding.slot.leave();
  x.snapshot->counters->show(x.route->upstream, *concurrency);
}

}  // namespace headgate::gateway
