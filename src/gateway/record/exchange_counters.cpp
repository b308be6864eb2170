#include "headgate/gateway/exchange_counters.hpp"

#include "headgate/gateway/exchange.hpp"

#include <algorithm>

namespace headgate::gateway {

bool Counting::any_takes(Step step) const noexcept {
  return std::ranges::any_of(compiled.serving(), [&](const Route* route) { return route->takes(step); });
}

ExchangeCounters::ExchangeCounters(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled)
    : made_routes_(registry.routes(worker)),
      routes_(compiled.routes().size() + 1),
      of_steps_(make_step_counters({.registry = registry, .worker = worker, .compiled = compiled})) {
  routes_.back() = observe::RouteCounters(made_routes_.of("-"));
}

const observe::RouteCounters& ExchangeCounters::of_route(const Exchange& x) const {
  if (x.route == nullptr) return routes_.back();
  auto& route = routes_[x.route->number];
  if (!route) route = observe::RouteCounters(made_routes_.of(x.route->name));
  return route;
}

void ExchangeCounters::begin(Exchange& x) const {
  x.counted = &of_route(x);
  x.counted->under_way(1);
}

void ExchangeCounters::count(const Exchange& x, Duration took) const {
  const auto& route = x.counted ? *x.counted : of_route(x);
  const auto waited = x.awaited + x.admission.delay + x.shedding.queued + x.flight.waited;
  route.count(x.request.method, x.status,
              {.whole = took,
               .overhead = took - waited,
               .received = x.body_bytes,
               .sent = x.reply != nullptr ? x.reply->bytes_sent() : 0});
  if (x.counted) route.under_way(-1);
  if (x.trace && x.trace->context.sampled) route.traced(x.trace->id(), took, x.clock->wall());
  for (const auto& auth_result : x.caller.auth_results) route.count(auth_result);
  if (x.grpc_status != observe::GrpcStatus::none) route.count(x.grpc_status);
}

}  // namespace headgate::gateway
