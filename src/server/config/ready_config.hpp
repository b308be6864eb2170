#pragma once
// A configuration that was read, checked and compiled: all that a reload needs and that belongs to no thread.

#include "server/side_thread.hpp"

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/net/tls_context.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

/// Immutable.
struct ReadyConfig {
  std::shared_ptr<const config::Config> config;  ///< as it is written, without its routes
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  /// By upstream, as in the configuration; null where the servers do not use TLS.
  std::vector<std::shared_ptr<const net::TlsContext>> upstream_tls;
};

/// Compiles it, and reads the files of TLS to servers. What it makes is freed on `side`. Throws std::runtime_error if a
/// file cannot be used. Any thread; takes long.
ReadyConfig make_ready(const SideThread& side, config::Config config);

/// The same, with the files of TLS to servers as they are now. As make_ready().
ReadyConfig with_files_of_now(const ReadyConfig& before);

/// The same, with other options of its upstreams, which have the same names. Any thread.
ReadyConfig with_upstreams(const SideThread& side, const ReadyConfig& before,
                           std::vector<gateway::UpstreamOptions> upstreams);

/// A configuration that was read again, or why it cannot be used.
struct ReadAgainConfig {
  std::optional<ReadyConfig> ready;
  std::string file;                          ///< as config::ReadConfig::file
  std::vector<config::Diagnostic> mistakes;  ///< as config::ReadConfig::mistakes
  std::vector<std::string> watched;          ///< as config::ReadConfig::watched
  bool read = false;                         ///< its files were understood, whether it can be used or not
};
/// Reads the files again. Throws nothing. Any thread; takes long.
ReadAgainConfig read_ready(const SideThread& side, const config::ReadAgain& read_again);
/// Takes a configuration that was in force before. The same.
ReadAgainConfig ready_again(const ReadyConfig& before);

}  // namespace headgate::server
