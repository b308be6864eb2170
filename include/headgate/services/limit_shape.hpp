#pragma once
// The shape of a limit: a text with everything that decides how the limit counts. Gateways compare shapes, and a reload
// uses them to find the limits whose counters are reset.

#include "headgate/config/config.hpp"
#include "headgate/limit/fingerprint.hpp"
#include "headgate/limit/limit.hpp"

#include <string>
#include <vector>

namespace headgate::services {

/// Returns the shape: algorithm, rates, bursts, keys, tiers, version, shards and mode. Equal texts mean equal
/// decisions, in every process of this version.
std::string shape_of(const limit::Limit& limit);

/// Returns the shapes of the limits in Redis, sorted by name.
std::vector<limit::Fingerprint> fingerprints_of(const std::vector<limit::Limit>& limits);

/// A limit whose counters a reload resets.
struct BegunAnew {
  std::string limit;
  std::string why;  ///< Reason, a sentence without its full stop.
  bool operator==(const BegunAnew&) const = default;
};
/// Returns the limits whose counters are reset, in the order of `after`. A limit that exists in only one of the
/// configurations is not included.
std::vector<BegunAnew> begun_anew(const config::Config& before, const config::Config& after);

}  // namespace headgate::services
