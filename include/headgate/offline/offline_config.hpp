#pragma once
// A compiled configuration for runs that serve no clients: with the keys from its files, without sockets. Used by
// server, simulate and policy_test.

#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/engine/simulation.hpp"
#include "headgate/gateway/snapshot.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace headgate::offline {

/// The configuration. Immutable, and cheap to copy. The objects that it creates may outlive it.
class OfflineConfig {
 public:
  /// Reads the files of API keys and of issuers' keys. Nothing is fetched: tokens of an issuer whose keys are behind a
  /// URL are refused with 503, unless their claims are assumed. Certificates are not read. The error is a sentence
  /// without a full stop.
  static Result<OfflineConfig, std::string> make(const config::Config& config);

  /// Returns a snapshot for an engine, without servers, Redis and counters.
  gateway::Snapshot parts() const;
  /// Returns a simulation with scripted servers and an in-memory Redis.
  std::unique_ptr<engine::Simulation> simulation(const engine::Simulation::Setup& setup) const;

  const gateway::CompiledConfig& compiled() const noexcept { return *compiled_; }
  const gateway::ActiveCredentials& keys() const noexcept { return *keys_; }

 private:
  OfflineConfig() = default;

  std::shared_ptr<const gateway::CompiledConfig> compiled_;
  std::shared_ptr<const gateway::ActiveCredentials> keys_;
};

}  // namespace headgate::offline
