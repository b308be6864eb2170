#pragma once
// The shape of a limit: what decides how it counts, as text. Gateways compare it, and a reload tells by it which limits
// begin anew.

#include "headgate/config/config.hpp"
#include "headgate/limit/fingerprint.hpp"
#include "headgate/limit/limit.hpp"

#include <string>
#include <vector>

namespace headgate::services {

/// Algorithm, rates, bursts, what it counts by, tiers, version, shards and mode. Equal texts mean equal decisions, in
/// every process of this version.
std::string shape_of(const limit::Limit& limit);

/// Of the limits that count in Redis, sorted by name.
std::vector<limit::Fingerprint> fingerprints_of(const std::vector<limit::Limit>& limits);

/// A limit whose counters a reload forgets.
struct BegunAnew {
  std::string limit;
  std::string why;  ///< a sentence without its dot
  bool operator==(const BegunAnew&) const = default;
};
/// In the order of `after`. A limit that only one of them has is none of them.
std::vector<BegunAnew> begun_anew(const config::Config& before, const config::Config& after);

}  // namespace headgate::services
