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

/// The servers of one upstream, and who watches them.
struct WatchedUpstream {
  std::string name;
  std::shared_ptr<balance::Watch> watch;
  std::vector<ServerSize> sizes{};  ///< of each server
};

/// Redis does not answer one of the workers.
struct RedisOutage {
  std::vector<std::string> closed_limits;  ///< those that reject without it
  std::vector<std::string> closed_rooms;   ///< those that admit nobody new without it
  std::vector<std::string> open_limits;    ///< those that reject nobody without it
  std::vector<std::string> local_limits;   ///< those that this gateway counts by itself meanwhile
  std::uint32_t instances = 1;             ///< of a local limit this gateway grants one in so many parts
  bool unready = false;                    ///< the configuration wants no requests for this gateway then
};

/// Any thread; every call is short. It must outlive the registry's scrapes.
class AdminBoard {
 public:
  /// Its limits and waiting rooms are active: at the start and after each reload.
  void use_config(const config::Config& config);
  /// Sets the limiter of worker `worker`; null: none, as before its loop ends. Releases the limiter before it on the
  /// caller's thread.
  void use_redis(unsigned worker, std::shared_ptr<const redis::SharedLimiter> limiter);
  /// Sets the servers of worker `worker`; empty: none, as before its loop ends.
  void use_servers(unsigned worker, std::vector<KnownServer> servers);
  /// Sets the active upstreams.
  void use_upstreams(std::vector<WatchedUpstream> upstreams);
  /// The last health check of a server has ended.
  void note_check(const std::string& upstream, const std::string& server, LastCheck check);
  /// Sets the active keyring.
  void use_keyring(std::shared_ptr<const keyring::Keyring> keyring);

  /// Not set while Redis answers, or nothing is counted there.
  std::optional<RedisOutage> redis_outage() const;
  std::vector<RedisReport> redis() const;
  std::vector<LimitReport> limits() const;
  /// One for each server, whatever the number of workers and however often its upstream names it.
  std::vector<ServerNumbers> servers() const;
  std::vector<keyring::SourceReport> sources() const;
  std::vector<UpstreamReport> upstreams() const;
  std::vector<WatchedUpstream> watched() const;

  /// Adds collectors for all of it to the registry.
  void collect(observe::Registry& registry) const;

 private:
  struct Asked {
    std::uint64_t number = 0;
    std::shared_ptr<const redis::SharedLimiter> limiter;
  };
  redis::RedisHealth health() const;  // the worst of all workers; needs the lock

  mutable std::mutex mutex_;
  std::vector<limit::Limit> limits_;
  std::vector<std::string> closed_rooms_;  // those that admit nobody new without Redis
  std::map<unsigned, Asked> redis_;        // by worker
  std::map<unsigned, std::vector<KnownServer>> servers_;
  std::shared_ptr<const keyring::Keyring> keyring_;
  std::vector<WatchedUpstream> upstreams_;
  std::map<std::pair<std::string, std::string>, LastCheck> checks_;  // by upstream and server; of active ones only
  std::uint64_t numbered_ = 0;
  bool unready_without_redis_ = false;
  std::uint32_t instances_ = 1;
};

}  // namespace headgate::admin
