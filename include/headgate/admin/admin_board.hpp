#pragma once
// The state of a running gateway for the admin interface. Other threads write it, the admin thread reads it.

#include "headgate/admin/collect.hpp"
#include "headgate/balance/table.hpp"
#include "headgate/balance/watch.hpp"
#include "headgate/config/config.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/limiter.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::admin {

/// A server of an upstream as one worker sees it.
struct KnownServer {
  std::string upstream;
  std::string server;
  balance::ServerPtr row;
};

/// The servers of one upstream, with the watch over their state.
struct WatchedUpstream {
  std::string name;
  std::shared_ptr<balance::Watch> watch;
  std::vector<ServerSize> sizes{};  ///< Weight and bound of each server.
};

/// An outage of Redis, as seen by at least one worker.
struct RedisOutage {
  std::vector<std::string> closed_limits;  ///< Limits that reject every request without Redis.
  std::vector<std::string> closed_rooms;   ///< Waiting rooms that admit no new visitors without Redis.
  std::vector<std::string> open_limits;    ///< Limits that reject nothing without Redis.
  std::vector<std::string> local_limits;   ///< Limits that this gateway counts in its own memory during the outage.
  std::uint32_t instances = 1;             ///< The gateway grants 1/`instances` of the size of each local limit.
  bool unready = false;  ///< True if the configuration wants this gateway to get no requests during the outage.
};

/// The state of the gateway. Any thread; every call is short. The board must outlive the registry's scrapes.
class AdminBoard {
 public:
  /// Uses the limits and waiting rooms of this configuration from now on. Call it at startup and after each reload.
  void use_config(const config::Config& config);
  /// Sets the limiter of worker `worker`; null if it has none, for example before its loop ends. Releases the previous
  /// limiter on the caller's thread.
  void use_redis(unsigned worker, std::shared_ptr<const redis::SharedLimiter> limiter);
  /// Sets the servers of worker `worker`; empty if it has none, for example before its loop ends.
  void use_servers(unsigned worker, std::vector<KnownServer> servers);
  /// Sets the active upstreams.
  void use_upstreams(std::vector<WatchedUpstream> upstreams);
  /// Records the last health check of a server.
  void note_check(const std::string& upstream, const std::string& server, LastCheck check);
  /// Sets the active keyring.
  void use_keyring(std::shared_ptr<const keyring::Keyring> keyring);

  /// Returns the outage of Redis; empty while Redis answers, or if nothing is counted in Redis.
  std::optional<RedisOutage> redis_outage() const;
  std::vector<RedisReport> redis() const;
  std::vector<LimitReport> limits() const;
  /// Returns one row for each server, summed over the workers. A server that its upstream names twice has one row.
  std::vector<ServerNumbers> servers() const;
  std::vector<keyring::SourceReport> sources() const;
  std::vector<UpstreamReport> upstreams() const;
  std::vector<WatchedUpstream> watched() const;

  /// Adds collectors for all figures of the board to the registry.
  void collect(observe::Registry& registry) const;

 private:
  struct WorkerLimiter {
    std::uint64_t number = 0;
    std::shared_ptr<const redis::SharedLimiter> limiter;
  };
  redis::RedisHealth health() const;  // Returns the worst state of all workers. Needs the lock.

  mutable std::mutex mutex_;
  std::vector<limit::Limit> limits_;
  std::vector<std::string> closed_rooms_;    // Waiting rooms that admit no new visitors without Redis.
  std::map<unsigned, WorkerLimiter> redis_;  // Limiters by worker.
  std::map<unsigned, std::vector<KnownServer>> servers_;
  std::shared_ptr<const keyring::Keyring> keyring_;
  std::vector<WatchedUpstream> upstreams_;
  std::map<std::pair<std::string, std::string>, LastCheck> checks_;  // By upstream and server; active servers only.
  std::uint64_t numbered_ = 0;
  bool unready_without_redis_ = false;
  std::uint32_t instances_ = 1;
};

}  // namespace headgate::admin
