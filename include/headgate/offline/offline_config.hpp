#pragma once
// A configuration for runs that serve nobody: compiled, with the keys of its files, without sockets. For `headgate
// explain`, `simulate` and `test`.

#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/engine/simulation.hpp"
#include "headgate/gateway/snapshot.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace headgate::offline {

/// Immutable, and cheap to copy. What it makes may outlive it.
class OfflineConfig {
 public:
  /// Reads the files of API keys and of issuers' keys. Nothing is fetched: tokens of an issuer whose keys are behind a
  /// URL are refused with 503, unless their claims are assumed. Certificates are not read. The error is a sentence
  /// without its dot.
  static Result<OfflineConfig, std::string> make(const config::Config& config);

  /// For an engine: has no servers, no Redis and no counters yet.
  gateway::Snapshot parts() const;
  /// With servers that are scripted, and Redis in memory.
  std::unique_ptr<engine::Simulation> simulation(const engine::Simulation::Setup& setup) const;

  const gateway::CompiledConfig& compiled() const noexcept { return *compiled_; }
  const gateway::KeyOverrides& keys() const noexcept { return *keys_; }

 private:
  OfflineConfig() = default;

  std::shared_ptr<const gateway::CompiledConfig> compiled_;
  std::shared_ptr<const gateway::KeyOverrides> keys_;
};

}  // namespace headgate::offline
