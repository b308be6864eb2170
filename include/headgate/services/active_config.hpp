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
  std::shared_ptr<const gateway::OverrideTable> overrides;  ///< Null if there are none.
  std::shared_ptr<gateway::CandidateState> state;
};

/// The active configuration, its credentials, and everything that workers share. Immutable.
struct ActiveConfig {
  std::shared_ptr<const config::Config> config;
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  std::shared_ptr<const gateway::ActiveCredentials> credentials;
  std::shared_ptr<const gateway::OverrideTable> overrides;  ///< Null if there are none.
  /// By upstream, as in the configuration; null if the servers do not use TLS.
  std::vector<std::shared_ptr<const net::TlsContext>> upstream_tls;
  /// By upstream. A watch is kept if a reload does not change its upstream; otherwise the new watch takes over the
  /// known state of the servers.
  std::vector<std::shared_ptr<balance::Watch>> watches;
  /// By upstream. A reload keeps the object of an upstream with the same name.
  std::vector<std::shared_ptr<shed::Overload>> overloads;
  std::vector<upstream::AllPlaces> places;  ///< By upstream. A server that a reload keeps also keeps its places.
  /// Reports a token whose key is missing from the keys of this issuer. Any thread.
  std::function<void(std::size_t issuer)> missing_key;
  std::shared_ptr<const ActiveCandidate> candidate;  ///< Null if there is none.
};

}  // namespace headgate::services
