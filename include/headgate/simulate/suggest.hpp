#pragma once
// The smallest rates, and the smallest bursts, with which a policy rejects under a chosen share of requests.

#include "headgate/config/config.hpp"
#include "headgate/simulate/run.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::simulate {

/// For one tier of a limit.
struct Suggestion {
  std::string limit;
  std::string tier;
  std::vector<std::string> now;    ///< its rates
  std::vector<std::string> rates;  ///< the smallest ones; empty: none is large enough
  /// With these, and all other limits with theirs.
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t burst = 0;  ///< the smallest one with the rate as it is; 0: the algorithm takes none, or none does
};

struct Suggestions {
  double share = 0;
  unsigned runs = 0;                 ///< over all arrivals, without the one of the policy as it is
  std::vector<Suggestion> of_tiers;  ///< that were asked about something, in the order of the configuration
};

struct SuggestOptions {
  double share = 0.01;  ///< reject fewer than this part; 0: none at all
  std::uint64_t seed = 1;
  /// The same arrivals from their beginning.
  std::function<std::unique_ptr<engine::Arrivals>(const TriedPolicy&)> arrivals{};
  /// Called before each run, with its number from 1 on; may be empty.
  std::function<void(unsigned run)> begin_run{};
  std::function<void(std::uint64_t arrivals)> progress{};  ///< as TrialOptions::progress
};

/// Tries several sizes of all limits at a time, each counted and none enforced, until two digits of the smallest one
/// are known: five to ten runs. A last run enforces what was found. `base` is a run of the policy as it is.
Suggestions suggest(const config::Config& config, const Figures& base, const SuggestOptions& options);

}  // namespace headgate::simulate
