#pragma once
// Finds the smallest rates, and the smallest bursts, with which a policy rejects less than a given share of requests.
// Used by the report and cli.

#include "headgate/config/config.hpp"
#include "headgate/simulate/run.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::simulate {

/// The suggestion for one tier of a limit.
struct Suggestion {
  std::string limit;
  std::string tier;
  std::vector<std::string> now;    ///< current rates of the tier
  std::vector<std::string> rates;  ///< the smallest sufficient rates; empty if no rate is large enough
  /// Numbers of requests when all limits have their suggested rates.
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  /// the smallest sufficient burst with the current rate; 0 if the algorithm has no burst or no burst is sufficient
  std::uint64_t burst = 0;
};

struct Suggestions {
  double share = 0;
  unsigned runs = 0;                 ///< number of runs over all arrivals, without the one of the unchanged policy
  std::vector<Suggestion> of_tiers;  ///< tiers that were checked, in the order of the configuration
};

struct SuggestOptions {
  double share = 0.01;  ///< the target: reject less than this share of the requests; 0 to reject none
  std::uint64_t seed = 1;
  /// Returns the same arrivals again from their beginning.
  std::function<std::unique_ptr<engine::Arrivals>(const TriedPolicy&)> arrivals{};
  /// Called before each run with its number, from 1; may be empty.
  std::function<void(unsigned run)> begin_run{};
  std::function<void(std::uint64_t arrivals)> progress{};  ///< called as TrialOptions::progress
};

/// Runs the arrivals five to ten times, until two digits of the smallest sufficient size are known. Each run tries
/// several sizes of all limits at a time, and counts with them but enforces none. A last run enforces the result.
/// `base` is a run of the unchanged policy.
Suggestions suggest(const config::Config& config, const Figures& base, const SuggestOptions& options);

}  // namespace headgate::simulate
