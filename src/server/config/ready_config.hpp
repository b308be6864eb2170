#pragma once
// A configuration that was read, checked and compiled: all that a reload needs and that belongs to no thread.

#include "server/side_thread.hpp"

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

/// How many gateways share Redis, as far as this process knows. All configurations that it makes reckon with it.
const std::shared_ptr<gateway::FleetSize>& fleet_of_process();

/// A candidate that was read, checked and compiled. Immutable.
struct ReadyCandidate {
  std::shared_ptr<const config::Config> written;            ///< with its routes: it may be promoted
  std::shared_ptr<const gateway::CompiledConfig> compiled;  ///< as it decides beside another one
  /// What an operator sent; empty: the file of the active configuration names it, or an operator named a file.
  std::string text{};
  std::string name{};  ///< what messages call that text
  std::string
      not_kept{};  ///< why a restart forgets what an operator sent, a sentence without its dot; empty: it does not
  bool by_file = false;  ///< the file of the active configuration names it
};

/// Compiles it to decide beside `live`: callers are who they are there, and what only their answers could tell is left
/// out. Any thread; takes long.
ReadyCandidate make_candidate(const SideThread& side, std::shared_ptr<const config::Config> written,
                              const config::Config& live);

/// Immutable.
struct ReadyConfig {
  std::shared_ptr<const config::Config> config;  ///< as it is written, without its routes
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  /// By upstream, as in the configuration; null where the servers do not use TLS.
  std::vector<std::shared_ptr<const net::TlsContext>> upstream_tls;
  std::optional<ReadyCandidate> candidate{};  ///< what decides beside it
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
/// What decided beside a configuration until now.
struct BesideUntilNow {
  std::shared_ptr<const config::Config> file;  ///< what the file said when it was read last; null: it was not
  std::optional<ReadyCandidate> candidate;
};
/// Reads the files again. The candidate that they name comes into force if it is another one than before; else that
/// stays which is set. Throws nothing. Any thread; takes long.
ReadAgainConfig read_ready(const SideThread& side, const config::ReadAgain& read_again, const BesideUntilNow& beside);
/// Takes a configuration that was in force before. The same.
ReadAgainConfig ready_again(const SideThread& side, const ReadyConfig& before, const BesideUntilNow& beside);
/// The configuration that decided beside the active one, as the active one; without a candidate. The same.
ReadAgainConfig ready_to_promote(const SideThread& side, const config::Config& written);

}  // namespace headgate::server
