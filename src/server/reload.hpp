#pragma once
// Reloads: the active configuration, the snapshots that workers make from it, and what is kept from one to the next.

#include "headgate/config/config.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/net/tls_context.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/server/serve_gateway.hpp"
#include "headgate/upstream/environment.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headgate::server {

/// The active configuration, its credentials, and everything that workers share of both. Immutable.
struct ActiveConfig {
  std::shared_ptr<const config::Config> config;
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  std::shared_ptr<const gateway::KeyOverrides> key_overrides;
  /// By upstream, as in the configuration; null where the servers do not use TLS.
  std::vector<std::shared_ptr<const net::TlsContext>> upstream_tls;
  std::function<void(std::size_t issuer)> missing_key;  ///< any thread
};

/// The pending configuration, with its keyring. The keyring belongs to the main thread; it is open but not started.
struct PendingConfig {
  std::shared_ptr<const ActiveConfig> active;
  std::shared_ptr<keyring::Keyring> keyring;
};
/// `before` may be null. Throws std::runtime_error if a file of keys or certificates cannot be used. Main thread only,
/// which runs `loop`.
PendingConfig prepare_config(boost::asio::io_context& loop, config::Config config, const keyring::Keyring* before);

/// The same configuration with other credentials. Unused credentials are freed on `loop`, because a worker must not
/// spend its time on freeing a million keys.
std::shared_ptr<const ActiveConfig> with_credentials(boost::asio::io_context& loop, const ActiveConfig& before,
                                                     std::shared_ptr<const identity::Credentials> credentials);

/// Reads the configuration again. Nothing, after an event in the log, if it cannot be used.
std::optional<PendingConfig> reload_config(boost::asio::io_context& loop, const ReadAgain& read_again,
                                           const keyring::Keyring& before);

/// Logs the active configuration, and which changes wait for a restart of this process, which started with `running`.
void log_changes(const ActiveConfig& before, const ActiveConfig& after, const config::Config& running);

/// What one worker makes from the active configuration: the snapshot for its gateway, and the open connections.
struct Installed {
  std::shared_ptr<const ActiveConfig> active;
  gateway::SnapshotPtr snapshot;
  std::shared_ptr<redis::Limiter> redis;  ///< the snapshot's; null if no limit is counted in Redis
};

/// Makes a worker's part of a configuration. Takes upstreams and Redis connections with unchanged options, and
/// upstreams also with unchanged files of certificates, from `before` (null at the start), with their pools. Worker
/// thread, or before it runs.
Installed install(std::shared_ptr<const ActiveConfig> active, const Installed* before,
                  upstream::Environment environment, observe::Registry& registry, observe::Writer worker);

}  // namespace headgate::server
