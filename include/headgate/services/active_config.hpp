#pragma once
// The configuration in force, as workers, services and the admin interface use it.

#include "headgate/balance/watch.hpp"
#include "headgate/config/config.hpp"
#include "headgate/gateway/candidate.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/upstream/server_group.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace headgate::services {

/// The candidate: a second policy that is evaluated beside the active one and only compared with it. Immutable.
struct ActiveCandidate {
  std::shared_ptr<const config::Config> config;  ///< The configuration as written, with its routes.
  /// The configuration as compiled for evaluation beside the active policy.
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  /// Credentials of the active configuration, compiled for the candidate.
  std::shared_ptr<const gateway::ActiveCredentials> credentials;
  /// Prices of the candidate; null to use those of the active configuration.
  std::shared_ptr<const usage::Prices> prices;
  std::shared_ptr<const gateway::OverrideTable> overrides;  ///< Overrides for the candidate; null if there are none.
  std::shared_ptr<gateway::CandidateState> state;
};

/// The active configuration, its credentials, and everything that workers share. Immutable.
struct ActiveConfig {
  std::shared_ptr<const config::Config> config;
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  std::shared_ptr<const gateway::ActiveCredentials> credentials;
  std::shared_ptr<const gateway::OverrideTable> overrides;  ///< Active overrides; null if there are none.
  /// TLS settings by upstream, as in the configuration; null if the servers do not use TLS.
  std::vector<std::shared_ptr<const net::TlsContext>> upstream_tls;
  /// Watches by upstream. A reload keeps the watch of an unchanged upstream; the new watch of a changed upstream takes
  /// over the known state of the servers.
  std::vector<std::shared_ptr<balance::Watch>> watches;
  /// Overload states by upstream. A reload keeps the object of an upstream with the same name.
  std::vector<std::shared_ptr<shed::Overload>> overloads;
  std::vector<upstream::AllPlaces> places;  ///< Places by upstream. A server that a reload keeps also keeps its places.
  /// A function that is called with an issuer if a token names a key that the issuer's key set lacks. Any thread.
  std::function<void(std::size_t issuer)> missing_key;
  std::shared_ptr<const ActiveCandidate> candidate;  ///< The candidate; null if there is none.
};

}  // namespace headgate::services
