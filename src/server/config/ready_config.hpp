#pragma once
// A configuration that was read, checked and compiled: everything that a reload needs and that belongs to no thread.

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

namespace headgate::usage {
class Prices;
}

namespace headgate::server {

/// The number of gateways that share Redis, as far as this process knows it. All configurations of the process use it.
const std::shared_ptr<gateway::FleetSize>& fleet_of_process();

/// A candidate that was read, checked and compiled. Immutable.
struct ReadyCandidate {
  std::shared_ptr<const config::Config> written;            ///< with its routes, because it may be promoted
  std::shared_ptr<const gateway::CompiledConfig> compiled;  ///< the form that decides beside another one
  /// the content of its price file when it was set; null if it has none, or that of the active configuration
  std::shared_ptr<const usage::Prices> prices{};
  /// The text that an operator sent; empty if the file of the active configuration names the candidate, or an operator
  /// named a file.
  std::string text{};
  std::string name{};  ///< the name of that text in messages
  std::string
      /// the reason why a restart forgets the operator's candidate, a sentence without its full stop; empty if a
      /// restart keeps the candidate
      not_kept{};
  bool by_file = false;  ///< whether the file of the active configuration names the candidate
};

/// Compiles a candidate that decides beside `live`, and reads its prices. Callers are identified by `live`, and effects
/// on answers are left out. Throws std::runtime_error if its price file cannot be used. Any thread; takes long.
ReadyCandidate make_candidate(const SideThread& side, std::shared_ptr<const config::Config> written,
                              const config::Config& live);

/// A configuration that can become active. Immutable.
struct ReadyConfig {
  std::shared_ptr<const config::Config> config;  ///< the configuration as written, without its routes
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  /// By upstream, as in the configuration; null where the servers do not use TLS.
  std::vector<std::shared_ptr<const net::TlsContext>> upstream_tls;
  std::optional<ReadyCandidate> candidate{};  ///< the candidate of this configuration
};

/// Compiles a configuration and reads the TLS files for servers. The objects are freed on `side`. Throws
/// std::runtime_error if a file cannot be used. Any thread; takes long.
ReadyConfig make_ready(const SideThread& side, config::Config config);

/// Returns the configuration with the current TLS files for servers. Errors and thread as for make_ready().
ReadyConfig with_files_of_now(const ReadyConfig& before);

/// Returns the configuration with other options of its upstreams, which have the same names. Any thread.
ReadyConfig with_upstreams(const SideThread& side, const ReadyConfig& before,
                           std::vector<gateway::UpstreamOptions> upstreams);

/// A configuration that was read again, or the reason why it cannot be used.
struct ReadAgainConfig {
  std::optional<ReadyConfig> ready;
  std::string file;                          ///< as config::ReadConfig::file
  std::vector<config::Diagnostic> mistakes;  ///< as config::ReadConfig::mistakes
  std::vector<std::string> watched;          ///< as config::ReadConfig::watched
  bool read = false;  ///< whether the files are a valid configuration, even if this process cannot use it now
};
/// The candidate before the reload, and the file that may have named it.
struct BesideUntilNow {
  /// the configuration in the file when it was read last; null if it was not read
  std::shared_ptr<const config::Config> file;
  std::optional<ReadyCandidate> candidate;
};
/// Reads the files again. The candidate that the files name is used if it differs from the previous one; otherwise the
/// current candidate stays. Throws nothing. Any thread; takes long.
ReadAgainConfig read_ready(const SideThread& side, const config::ReadAgain& read_again, const BesideUntilNow& beside);
/// Prepares a configuration that was active before. Throws nothing. Any thread; takes long.
ReadAgainConfig ready_again(const SideThread& side, const ReadyConfig& before, const BesideUntilNow& beside);
/// Prepares `written`, the configuration of the candidate, to become the active one. The result has no candidate.
/// Throws nothing. Any thread; takes long.
ReadAgainConfig ready_to_promote(const SideThread& side, const config::Config& written);

}  // namespace headgate::server
