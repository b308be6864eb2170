#pragma once
// One run of a policy over arrivals.

#include "headgate/config/config.hpp"
#include "headgate/engine/simulation.hpp"
#include "headgate/simulate/tally.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace headgate::simulate {

/// A configuration that can be run.
struct TriedPolicy {
  gateway::Snapshot parts;  ///< as engine::Simulation takes it
  std::size_t max_keys = 1'000'000;
};

/// Reads the files of keys that the configuration names. Throws std::runtime_error if one cannot be used.
TriedPolicy policy_of(const config::Config& config);

struct TrialOptions {
  std::uint64_t seed = 1;
  RunTally::Keep keep = RunTally::Keep::keys;
  /// Called now and then, about every 4096 arrivals, with how many there were; may be empty.
  std::function<void(std::uint64_t arrivals)> progress{};
  /// Called for each arrival that has ended, before it is counted; may be empty.
  std::function<void(const engine::Decided&)> each{};
};

struct Trial {
  std::unique_ptr<RunTally> tally;
  Figures figures;
};

/// Runs all arrivals through the path of the policy. The same policy, arrivals and seed give the same figures. Takes
/// about a microsecond for each arrival. Throws what Simulation throws, and std::invalid_argument as CompiledConfig.
Trial run(const TriedPolicy& policy, engine::Arrivals& arrivals, const TrialOptions& options);

}  // namespace headgate::simulate
