#include "forwarding_counters.hpp"

#include "headgate/observe/families/upstreams.hpp"

#include <string>

namespace headgate::gateway {

ForwardingCounters::ForwardingCounters(const Counting& counting)
    : retries_(counting.compiled.upstreams().size()), mirrors_(counting.compiled.upstreams().size()) {
  namespace family = observe::family;
  constexpr WordsOf<Mirrored> kResults({"answered", "failed", "dropped", "too_large"});
  auto& registry = counting.registry;
  const auto worker = counting.worker;
  for (const auto* const route : counting.compiled.serving()) {
    const auto* const forwarding = route->forwarding.get();
    if (forwarding != nullptr && forwarding->retry != nullptr) {
      auto& counters = retries_[route->upstream];
      for (std::size_t i = 0; i < counters.by_reason.size(); ++i)
        counters.by_reason[i] =
            &registry.counter(worker, family::retries, {route->upstream_name, std::string(kRetryReasons[i])});
      counters.not_paid = &registry.counter(worker, family::retry_budget_exhausted, {route->upstream_name});
    }
    if (forwarding != nullptr && forwarding->mirror) {
      auto& counters = mirrors_[forwarding->mirror_upstream];
      for (std::size_t i = 0; i < counters.size(); ++i)
        counters[i] = &registry.counter(worker, family::mirrored, {forwarding->mirror->to, std::string(kResults[i])});
    }
  }
}

}  // namespace headgate::gateway
