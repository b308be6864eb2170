#pragma once
// The request path of one worker without sockets: configuration, clock, random numbers, servers, counters and sinks are
// passed in, so that the same engine runs behind sockets, offline and in tests. Used by server and simulation.

#include "headgate/engine/redis_in_memory.hpp"
#include "headgate/gateway/gateway.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace headgate::engine {

/// The owner of the snapshot and the gateway. One thread. All exchanges must have ended before the engine is destroyed.
class Engine {
 public:
  /// Creates an engine for live traffic or tests; counters, sinks and servers belong to the caller. `first` is complete
  /// except for its counters, which are those of `worker` in `registry`.
  Engine(const gateway::Services& services, gateway::Snapshot first, observe::Registry& registry,
         observe::Writer worker = 0);

  gateway::Gateway& gateway() noexcept { return gateway_; }
  const gateway::SnapshotPtr& snapshot() const noexcept { return snapshot_; }

  /// Uses `next` for new exchanges from now on. `next` is complete except for its counters.
  void adopt(gateway::Snapshot next);
  /// Uses the same snapshot with other overrides for new exchanges; null for none.
  void use_overrides(std::shared_ptr<const gateway::OverrideTable> overrides);
  /// Stops the background work. No exchange may begin afterwards.
  void stop() { gateway_.stop(); }

 private:
  gateway::SnapshotPtr complete(gateway::Snapshot parts) const;

  observe::Registry& registry_;
  observe::Writer worker_;
  gateway::SnapshotPtr snapshot_;
  gateway::Gateway gateway_;
};

/// An engine with its own counters, all of them in memory, and with sinks that discard everything. The engine accepts
/// gateway::Exchange::assumed.
class Offline {
 public:
  /// `parts` must not name a Redis, because this object has a Redis in memory, which is empty at first. Missing retry
  /// budgets are added.
  Offline(Clock& clock, std::uint64_t seed, gateway::Snapshot parts, std::size_t max_keys);
  Offline(const Offline&) = delete;
  Offline& operator=(const Offline&) = delete;
  ~Offline() { engine_.stop(); }

  gateway::Gateway& gateway() noexcept { return engine_.gateway(); }
  void stop() { engine_.stop(); }
  observe::Registry& metrics() noexcept { return registry_; }
  limit::MemoryStore& memory() noexcept { return memory_; }
  const limit::MemoryStore& memory() const noexcept { return memory_; }
  RedisInMemory& redis() noexcept { return *redis_; }
  const gateway::SnapshotPtr& snapshot() const noexcept { return engine_.snapshot(); }

 private:
  gateway::Snapshot completed(gateway::Snapshot parts) const;

  std::shared_ptr<RedisInMemory> redis_;
  Random random_;
  limit::MemoryStore memory_;
  observe::AccessLog log_;
  limit::BanTable bans_;
  room::MemoryRooms rooms_;
  shed::WaitQueues flights_;
  limit::HoldTable holds_;
  observe::Registry registry_;
  Engine engine_;
};

}  // namespace headgate::engine
