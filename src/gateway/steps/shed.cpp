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

/// The check of the capacity of its upstream; null: it was not asked.
const CheckedLimit* capacity_of(const Exchange& x) noexcept {
  for (const auto& checked : x.admission.limits)
    if (checked.route_limit->ready->fleet) return &checked;
  return nullptr;
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
  static const UntilWait full =
      until_wait(503, "The servers behind this gateway have as much to do as they can. Try again in ");
  static const UntilWait behind = until_wait(503, "This gateway has more to do than it can. Try again in ");
  x.shed_by = layer;
  x.reason = to_text(layer);
  if (auto* const overload = overload_of(x); overload && !x.admission.peek)
    overload->shed(layer, x.priority, x.clock->steady());
  return {.status = 503,
          .ended_by = EndedBy::shed,
          .retry_after = retry_after,
          .body = x.snapshot->compiled->options().rejection.body,
          .until_wait = layer == Layer::loop_lag ? &behind : &full};
}

namespace {

Problem refuse_place(Exchange& x, shed::Concurrency& concurrency) {
  concurrency.refused(x.effective, x.clock->steady());
  return shed_problem(x, Layer::concurrency, seconds_up(limit::kFlightRetry));
}

}  // namespace

// Before the limits that cost a call, so that a refused request costs little: a place that is not there now will
// hardly be there a millisecond later.
MaybeProblem shed(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  const auto now = path.services.clock.steady();
  x.priority = priority_of(x);
  auto* const overload = overload_of(x);
  x.effective = concurrency ? concurrency->effective(x.priority, now)
                : overload  ? overload->effective(x.priority, now)
                            : x.priority;
  MaybeProblem problem;
  if (path.lag && !path.lag->lag().calm() && path.lag->lag().refuses(x.effective))
    problem = shed_problem(x, Layer::loop_lag, path.lag->lag().retry_after(x.effective));
  else if (concurrency && !concurrency->queue() && !concurrency->admits(x.effective))
    problem = refuse_place(x, *concurrency);
  return problem;
}

MaybeProblem rank(Path& /*path*/, Exchange& x) {
  x.priority = x.effective = priority_of(x);
  return {};
}

MaybeProblem capacity_passed(Path& path, Exchange& x) {
  auto* const overload = overload_of(x);
  const auto* const capacity = overload != nullptr ? capacity_of(x) : nullptr;
  if (capacity != nullptr)
    overload->admitted(Layer::fleet, x.effective,
                       static_cast<std::uint32_t>(x.admission.decisions[capacity->first].remaining),
                       path.services.clock.steady());
  return {};
}

void capacity_refused(Path& path, Exchange& x) {
  auto* const overload = overload_of(x);
  if (overload == nullptr || x.shed_by != Layer::fleet) return;
  if (const auto* const capacity = capacity_of(x))
    overload->refused(Layer::fleet, x.effective,
                      fleet_places(*capacity->route_limit, shed::Priority::critical, capacity->source),
                      path.services.clock.steady());
}

// The point of admission. Who waited for a place has it already (gateway/steps/queue).
MaybeProblem take_place(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (x.client_gone) return {};
  if (!concurrency) {
    if (x.effective != x.priority) overload_of(x)->trickled(path.services.clock.steady());
    return {};
  }
  if (!x.slot.held() && !concurrency->admits(x.effective)) return refuse_place(x, *concurrency);
  const auto now = path.services.clock.steady();
  if (x.effective != x.priority) concurrency->trickled(now);
  if (!x.slot.held()) x.slot.take(*concurrency, x.effective, now);
  x.snapshot->counters->show(x.route->upstream, *concurrency);
  return {};
}

void leave_place(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (!concurrency) return;
  if (x.slot.held()) x.client_gone ? x.slot.abandoned(path.services.clock.steady()) : x.slot.leave();
  x.snapshot->counters->show(x.route->upstream, *concurrency);
}

}  // namespace headgate::gateway
