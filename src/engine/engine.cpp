#include "headgate/engine/engine.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <utility>

namespace headgate::engine {

Engine::Engine(const gateway::Services& services, gateway::Snapshot first, observe::Registry& registry,
               observe::Writer worker)
    : registry_(registry), worker_(worker), snapshot_(complete(std::move(first))), gateway_(services, snapshot_) {}

void Engine::adopt(gateway::Snapshot next) {
  snapshot_ = complete(std::move(next));
  gateway_.adopt(snapshot_);
}

void Engine::use_overrides(std::shared_ptr<const gateway::OverrideTable> overrides) {
  auto next = *snapshot_;
  next.overrides = std::move(overrides);
  snapshot_ = boost::make_local_shared<gateway::Snapshot>(std::move(next));
  gateway_.use_overrides(snapshot_);
}

gateway::SnapshotPtr Engine::complete(gateway::Snapshot parts) const {
  parts.counters = std::make_shared<const gateway::ExchangeCounters>(registry_, worker_, *parts.compiled);
  return boost::make_local_shared<gateway::Snapshot>(std::move(parts));
}

Offline::Offline(Clock& clock, std::uint64_t seed, gateway::Snapshot parts, std::size_t max_keys)
    : redis_(std::make_shared<RedisInMemory>(clock, max_keys)),
      random_(seed),
      memory_({.max_keys = max_keys}, limit::Threads::one),
      engine_({.clock = clock,
               .random = random_,
               .memory = memory_,
               .access_log = log_,
               .bans = bans_,
               .rooms = rooms_,
               .flights = flights_,
               .holds = &holds_,
               .assumes = true},
              completed(std::move(parts)), registry_) {}

gateway::Snapshot Offline::completed(gateway::Snapshot parts) const {
  parts.redis = redis_;
  parts.rooms = redis_;
  parts.retries.resize(parts.upstreams.size());
  for (auto& share : parts.retries)
    if (!share) share = std::make_shared<upstream::RetryShare>(std::make_shared<upstream::RetryBudget>());
  return parts;
}

}  // namespace headgate::engine
