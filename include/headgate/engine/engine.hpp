#pragma once
// The path of a worker with all that it needs: a configuration, a clock, chance, servers, counters and sinks come from
// outside, so that the same engine runs behind sockets, offline and in tests.

#include "headgate/engine/redis_in_memory.hpp"
#include "headgate/gateway/gateway.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace headgate::engine {

/// Owns the snapshot and the gateway. One thread. All exchanges must have ended before it is destroyed.
class Engine {
 public:
  /// Live, or in a test: counters, sinks and servers are whose they are. `first` has all but its counters, which are
  /// those of `worker` in `registry`.
  Engine(const gateway::Services& services, gateway::Snapshot first, observe::Registry& registry,
         observe::Writer worker = 0);

  gateway::Gateway& gateway() noexcept { return gateway_; }
  const gateway::SnapshotPtr& snapshot() const noexcept { return snapshot_; }

  /// New exchanges use `next`, which has all but its counters, from now on.
  void adopt(gateway::Snapshot next);
  /// The same with other overrides; null: with none.
  void use_overrides(std::shared_ptr<const gateway::OverrideTable> overrides);
  /// Stops the work in the background. No exchange may begin after it.
  void stop() { gateway_.stop(); }

 private:
  gateway::SnapshotPtr complete(gateway::Snapshot parts) const;

  observe::Registry& registry_;
  observe::Writer worker_;
  gateway::SnapshotPtr snapshot_;
  gateway::Gateway gateway_;
};

/// An engine with counters of its own, all of them in memory, and with sinks that keep nothing. It believes
/// gateway::Exchange::assumed.
class Offline {
 public:
  /// `parts` names no Redis: there is one in memory, which begins empty. What is missing of its budgets for retries is
  /// added.
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
  observe::Registry registry_;
  Engine engine_;
};

}  // namespace headgate::engine
