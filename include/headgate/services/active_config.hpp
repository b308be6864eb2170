#pragma once
// The configuration in force, for all that works by it: workers, services and the admin interface.

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

/// Another policy, which decides beside the active one and is only compared with it. Immutable.
struct ActiveCandidate {
  std::shared_ptr<const config::Config> config;                   ///< as it is written, with its routes
  std::shared_ptr<const gateway::CompiledConfig> compiled;        ///< as it decides beside the active one
  std::shared_ptr<const gateway::ActiveCredentials> credentials;  ///< of the credentials of the active one
  std::shared_ptr<const gateway::OverrideTable> overrides;        ///< null if there are none
  std::shared_ptr<gateway::CandidateState> state;
};

/// The active configuration, its credentials, and everything that workers share of both. Immutable.
struct ActiveConfig {
  std::shared_ptr<const config::Config> config;
  std::shared_ptr<const gateway::CompiledConfig> compiled;
  std::shared_ptr<const gateway::ActiveCredentials> credentials;
  std::shared_ptr<const gateway::OverrideTable> overrides;  ///< null if there are none
  /// By upstream, as in the configuration; null where the servers do not use TLS.
  std::vector<std::shared_ptr<const net::TlsContext>> upstream_tls;
  /// By upstream. One of an upstream that a reload does not change is kept; another one takes over what is known of
  /// its servers.
  std::vector<std::shared_ptr<balance::Watch>> watches;
  /// By upstream. One of the same name is kept.
  std::vector<std::shared_ptr<shed::Overload>> overloads;
  std::vector<upstream::AllPlaces> places;              ///< by upstream. A server that a reload leaves keeps its places
  std::function<void(std::size_t issuer)> missing_key;  ///< any thread
  std::shared_ptr<const ActiveCandidate> candidate;     ///< null: there is none
};

}  // namespace headgate::services
