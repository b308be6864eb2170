#include "gateway/path/shed_counters.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/families/upstreams.hpp"
#include "headgate/shed/concurrency.hpp"

#include <string>

namespace headgate::gateway {

SheddingCounters::SheddingCounters(const Counting& counting) {
  for (const auto* const route : counting.compiled.serving()) {
    if (!route->takes(Step::shed)) continue;
    if (upstreams_.size() <= route->upstream) upstreams_.resize(route->upstream + 1);
    if (upstreams_[route->upstream].refused[0][0] == nullptr) upstreams_[route->upstream] = make(counting, *route);
  }
  if (counting.compiled.options().shedding.loop_lag > Duration(0))
    loop_lag_ = &observe::loop_lag_gauge(counting.registry, counting.worker);
}

SheddingCounters::OfUpstream SheddingCounters::make(const Counting& counting, const Route& route) const {
  namespace family = observe::family;
  auto& registry = counting.registry;
  OfUpstream made;
  for (std::size_t layer = 0; layer < made.refused.size(); ++layer)
    for (std::size_t priority = 0; priority < made.refused[layer].size(); ++priority)
      made.refused[layer][priority] = &registry.counter(
          counting.worker, family::shed,
          {route.upstream_name, std::string(shed::kLayerWords[layer]), std::string(shed::kPriorityWords[priority])});
  const observe::LabelValues labels{route.upstream_name, std::to_string(counting.worker)};
  const auto& own = counting.compiled.upstreams()[route.upstream].concurrency;
  const bool adaptive = own && own->adaptive;
  const bool queues = adaptive && own->queue;
  if (adaptive) {
    made.limit = &registry.gauge(family::upstream_concurrency_limit, labels);
    made.in_flight = &registry.gauge(family::upstream_in_flight, labels);
  }
  if (queues) made.waiting = &registry.gauge(family::queue_waiting, labels);
  if (queues || (route.server_queue && route.server_queue->length > 0))
    made.queue_seconds = &registry.histogram(counting.worker, family::queue_seconds, {route.upstream_name});
  return made;
}

void SheddingCounters::count(const Exchange& x) const {
  const auto& of_upstream = upstreams_[x.route->upstream];
  const auto& shedding = x.shedding;
  if (shedding.layer)
    of_upstream.refused[static_cast<std::size_t>(*shedding.layer)][static_cast<std::size_t>(shedding.priority)]->add();
  else if (shedding.queued > Duration(0) && of_upstream.queue_seconds)
    of_upstream.queue_seconds->record(shedding.queued);
}

void SheddingCounters::show(std::size_t upstream, shed::Concurrency& concurrency) const noexcept {
  const auto& of_upstream = upstreams_[upstream];
  if (of_upstream.limit) of_upstream.limit->set(concurrency.limit());
  if (of_upstream.in_flight) of_upstream.in_flight->set(concurrency.in_flight());
  if (of_upstream.waiting && concurrency.queue())
    of_upstream.waiting->set(static_cast<double>(concurrency.queue()->size()));
}

void SheddingCounters::clear() const noexcept {
  for (const auto& of_upstream : upstreams_)
    for (auto* const gauge : {of_upstream.limit, of_upstream.in_flight, of_upstream.waiting})
      if (gauge) gauge->set(0);
  if (loop_lag_) loop_lag_->set(0);
}

}  // namespace headgate::gateway
