#pragma once
// Reloads: the active configuration, the snapshots that workers make from it, and the state that a reload keeps.

#include "ready_config.hpp"
#include "server/listeners.hpp"

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/reload_result.hpp"
#include "headgate/balance/watch.hpp"
#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/server/serve_gateway.hpp"
#include "headgate/services/active_config.hpp"
#include "headgate/upstream/environment.hpp"
#include "headgate/upstream/retry_budget.hpp"
#include "headgate/upstream/server_group.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::server {

/// Returns the candidate in the form that decides beside the active configuration, without its credentials; null if
/// there is none. It continues with the counters of the previous candidate; if there is none, or if its bound differs,
/// the counters begin empty. Freed on `side`.
std::shared_ptr<const services::ActiveCandidate> beside(const SideThread& side,
                                                        const std::optional<ReadyCandidate>& candidate,
                                                        const services::ActiveConfig* before);
/// Copies the counters in memory of the candidate of `live` to `to`, but only those of limits that are new in
/// `promoted`. Call it before `promoted`, the configuration of that candidate, becomes active. Takes a moment on the
/// main thread.
void carry_counters(const services::ActiveConfig& live, const config::Config& promoted, limit::MemoryStore& to,
                    Instant now);
/// The text after the prefix in the candidate's keys in Redis. It separates them from the counters of the active
/// configuration.
inline constexpr std::string_view kCandidatePrefix = "candidate:";
/// Returns the Redis options of a worker's candidate. There must be a candidate, and it must use Redis.
redis::RedisOptions redis_of_candidate(const services::ActiveConfig& active);

/// The pending configuration, with its keyring. The keyring belongs to the main thread; it is open but not started.
struct PendingConfig {
  std::shared_ptr<const services::ActiveConfig> active;
  std::shared_ptr<keyring::Keyring> keyring;
};
/// Prepares a configuration. `before` and its keyring, `known`, may be null. Throws std::runtime_error if a key file
/// cannot be used. Main thread only; this thread runs `loop`.
PendingConfig prepare_config(boost::asio::io_context& loop, const SideThread& side, const ReadyConfig& ready,
                             const services::ActiveConfig* before, const keyring::Keyring* known);

/// Returns the same configuration with other credentials. The old credentials are freed on `side`.
std::shared_ptr<const services::ActiveConfig> with_credentials(
    const SideThread& side, const services::ActiveConfig& before,
    std::shared_ptr<const identity::Credentials> credentials);

/// Returns the same configuration with these overrides. The old overrides are freed on `side`.
std::shared_ptr<const services::ActiveConfig> with_overrides(const SideThread& side,
                                                             const services::ActiveConfig& before,
                                                             const std::vector<limit::Override>& overrides);

/// Returns the same configuration with other options of its upstreams. The names of upstreams and servers must be the
/// same, and no server may get a bound that it did not have.
std::shared_ptr<const services::ActiveConfig> with_servers(const SideThread& side, const services::ActiveConfig& before,
                                                           std::vector<gateway::UpstreamOptions> upstreams);

/// Adds a mistake that is only found when the configuration is used.
void add_mistake(admin::ReloadResult& result, const config::SourceLocation& place, std::string message);

/// Returns the top-level keys of the file whose values differ.
std::vector<std::string> changed_keys(const config::Config& before, const config::Config& after);
/// Returns the changes that need a restart of this process, which started with `running`.
std::vector<std::string> waiting_for_restart(const config::Config& running, const config::Config& now);

/// Logs the mistakes, and that the active configuration stays in use if the new one was not applied.
void log_mistakes(const admin::ReloadResult& result);
/// Logs the active configuration, and the changes that wait for a restart.
void log_changes(const services::ActiveConfig& before, const services::ActiveConfig& after,
                 const admin::ReloadResult& result);

/// The objects that one worker makes from the active configuration: the parts of its engine, and the open connections.
struct Installed {
  std::shared_ptr<const services::ActiveConfig> active;
  gateway::Snapshot parts;                      ///< the snapshot without its counters
  std::shared_ptr<redis::SharedLimiter> redis;  ///< the limiter of `parts`; null if no limit is counted in Redis
};

/// Returns all servers of its upstreams.
std::vector<admin::KnownServer> servers_of(const Installed& installed);

/// Makes a worker's part of a configuration. Upstreams and Redis connections with unchanged options are taken from
/// `before` with their pools (upstreams also need unchanged certificate files); `before` is null at the start. Worker
/// thread, or before it runs.
Installed install(std::shared_ptr<const services::ActiveConfig> active, const Installed* before,
                  upstream::Environment environment, observe::Registry& registry, observe::Writer worker,
                  upstream::RetryBudgets& retry_budgets);

}  // namespace headgate::server
