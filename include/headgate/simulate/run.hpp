#pragma once
// Runs a policy on arrivals once. Used by compare, suggest and cli.

#include "headgate/config/config.hpp"
#include "headgate/engine/simulation.hpp"
#include "headgate/simulate/tally.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace headgate::simulate {

/// A configuration that can be run.
struct TriedPolicy {
  gateway::Snapshot parts;  ///< the configuration, for engine::Simulation
  std::size_t max_keys = 1'000'000;
};

/// Prepares a configuration, and reads the key files that it names. Throws std::runtime_error if one cannot be used.
TriedPolicy policy_of(const config::Config& config);

struct TrialOptions {
  std::uint64_t seed = 1;
  RunTally::Keep keep = RunTally::Keep::keys;
  /// Called about every 4096 arrivals, with their number so far; may be empty.
  std::function<void(std::uint64_t arrivals)> progress{};
  /// Called for each arrival that has ended, before it is counted; may be empty.
  std::function<void(const engine::ArrivalResult&)> each{};
};

struct Trial {
  std::unique_ptr<RunTally> tally;
  Figures figures;
};

/// Runs all arrivals through the request path of the policy. The same policy, arrivals and seed give the same figures.
/// Takes about a microsecond for each arrival. Throws the exceptions of Simulation, and std::invalid_argument like
/// CompiledConfig.
Trial run(const TriedPolicy& policy, engine::Arrivals& arrivals, const TrialOptions& options);

}  // namespace headgate::simulate
