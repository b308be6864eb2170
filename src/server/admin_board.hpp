#pragma once
// What the admin interface knows of a running gateway: told by its threads, read by the admin's.

#include "collect.hpp"

#include "headgate/keyring/keyring.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/server/admin.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace headgate::server {

/// Any thread, none for long. Outlives the registry's scrapes.
class AdminBoard {
 public:
  /// The limits now in force, as they are configured: at the start and after each reload.
  void use_limits(std::vector<limit::Limit> limits);
  /// The limiter that worker `worker` asks from now on; null: none, as before its loop ends. The one before is let
  /// go on the caller's thread.
  void use_redis(unsigned worker, std::shared_ptr<const redis::Limiter> limiter);
  /// Where keys come from, from now on.
  void use_keyring(std::shared_ptr<const keyring::Keyring> keyring);
  void begin_serving();
  void begin_drain();

  /// Neither what does not serve yet nor what drains is ready. Redis away is degraded, but not ready where a limit
  /// rejects without it.
  Readiness readiness() const;
  std::vector<RedisReport> redis() const;
  std::vector<LimitReport> limits() const;
  std::vector<keyring::SourceReport> sources() const;

  /// Makes all of it metrics.
  void collect(observe::Registry& registry) const;

 private:
  struct Asked {
    std::uint64_t number = 0;
    std::shared_ptr<const redis::Limiter> limiter;
  };
  redis::Health health() const;  // the worst of all workers'; with the lock

  mutable std::mutex mutex_;
  std::vector<limit::Limit> limits_;
  std::map<unsigned, Asked> redis_;  // by worker
  std::shared_ptr<const keyring::Keyring> keyring_;
  std::uint64_t numbered_ = 0;
  bool serving_ = false;
  bool draining_ = false;
};

}  // namespace headgate::server
