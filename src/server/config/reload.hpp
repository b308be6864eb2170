#pragma once
// Reloads: the active configuration, the snapshots that workers make from it, and what is kept from one to the next.

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

/// What decides beside a configuration, without its credentials; null: nothing. It goes on with the counters of the one
/// before; null, or another bound: they begin empty. They are freed on `side`.
std::shared_ptr<const services::ActiveCandidate> beside(const SideThread& side,
                                                        const std::optional<ReadyCandidate>& candidate,
                                                        const services::ActiveConfig* before);
/// Before the candidate of `live`, which is `promoted`, is in force: what it has counted in memory of limits that are
/// new comes into `to`. It takes a moment on the main thread, once, as an operator wants it.
void carry_counters(const services::ActiveConfig& live, const config::Config& promoted, limit::MemoryStore& to,
                    Instant now);
/// Behind the prefix of its keys in Redis, so that no counter of the active configuration is touched.
inline constexpr std::string_view kCandidatePrefix = "candidate:";
/// Of a worker. There must be a candidate, and it must use Redis.
redis::RedisOptions redis_of_candidate(const services::ActiveConfig& active);

/// The pending configuration, with its keyring. The keyring belongs to the main thread; it is open but not started.
struct PendingConfig {
  std::shared_ptr<const services::ActiveConfig> active;
  std::shared_ptr<keyring::Keyring> keyring;
};
/// `before` and its keyring, `known`, may be null. Throws std::runtime_error if a file of keys cannot be used. Main
/// thread only, which runs `loop`.
PendingConfig prepare_config(boost::asio::io_context& loop, const SideThread& side, const ReadyConfig& ready,
                             const services::ActiveConfig* before, const keyring::Keyring* known);

/// The same configuration with other credentials. Unused ones are freed on `side`.
std::shared_ptr<const services::ActiveConfig> with_credentials(
    const SideThread& side, const services::ActiveConfig& before,
    std::shared_ptr<const identity::Credentials> credentials);

/// The same with these overrides. Unused ones are freed on `side`.
std::shared_ptr<const services::ActiveConfig> with_overrides(const SideThread& side,
                                                             const services::ActiveConfig& before,
                                                             const std::vector<limit::Override>& overrides);

/// The same with other options of its upstreams, which have the same names, and servers of the same names. No server
/// gets a bound that has none.
std::shared_ptr<const services::ActiveConfig> with_servers(const SideThread& side, const services::ActiveConfig& before,
                                                           std::vector<gateway::UpstreamOptions> upstreams);

/// Adds a mistake that only shows when the configuration is used.
void add_mistake(admin::ReloadResult& result, const config::SourceLocation& place, std::string message);

/// Which keys at the top of the file have another value.
std::vector<std::string> changed_keys(const config::Config& before, const config::Config& after);
/// Which changes wait for a restart of this process, which started with `running`.
std::vector<std::string> waiting_for_restart(const config::Config& running, const config::Config& now);

/// Logs the mistakes, and that the active configuration stays in use if it was not applied.
void log_mistakes(const admin::ReloadResult& result);
/// Logs the active configuration, and what waits for a restart.
void log_changes(const services::ActiveConfig& before, const services::ActiveConfig& after,
                 const admin::ReloadResult& result);

/// What one worker makes from the active configuration: what its engine needs, and the open connections.
struct Installed {
  std::shared_ptr<const services::ActiveConfig> active;
  gateway::Snapshot parts;                      ///< without its counters
  std::shared_ptr<redis::SharedLimiter> redis;  ///< that of `parts`; null if no limit is counted in Redis
};

/// All servers of its upstreams.
std::vector<admin::KnownServer> servers_of(const Installed& installed);

/// Makes a worker's part of a configuration. Takes upstreams and Redis connections with unchanged options, and
/// upstreams also with unchanged files of certificates, from `before` (null at the start), with their pools. Worker
/// thread, or before it runs.
Installed install(std::shared_ptr<const services::ActiveConfig> active, const Installed* before,
                  upstream::Environment environment, observe::Registry& registry, observe::Writer worker,
                  upstream::RetryBudgets& retry_budgets);

}  // namespace headgate::server
