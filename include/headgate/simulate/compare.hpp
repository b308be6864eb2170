#pragma once
// Compares two policies on the same arrivals: which requests a change newly rejects, and which it newly allows. Used by
// the report.

#include "headgate/simulate/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::simulate {

/// A key of a limit that is rejected more often or less often.
struct KeyChange {
  std::string key;
  std::uint64_t requests = 0;  ///< number of requests in the run that has more of them
  std::uint64_t rejected_before = 0;
  std::uint64_t rejected_after = 0;
};

struct LimitChange {
  enum class What : std::uint8_t { kept, added, removed };
  static constexpr std::size_t kMaxKeys = 20;

  std::string name;
  What what = What::kept;
  /// true if the new policy counts this limit by something else, so that its keys are different
  bool other_key = false;
  std::uint64_t requests_before = 0;
  std::uint64_t requests_after = 0;
  std::uint64_t rejected_before = 0;
  std::uint64_t rejected_after = 0;
  std::uint64_t keys_hit = 0;    ///< number of keys that are rejected more often than before
  std::uint64_t keys_freed = 0;  ///< number of keys that are rejected less often
  std::vector<KeyChange> hit;    ///< the largest changes first, at most kMaxKeys
  std::vector<KeyChange> freed;
};

struct Comparison {
  std::uint64_t refused_before = 0;
  std::uint64_t refused_after = 0;
  /// Requests that only one of the two policies refuses, by whatever limit. Not known beyond 2^30 arrivals.
  std::uint64_t hit = 0;
  std::uint64_t freed = 0;
  bool each_known = true;
  std::vector<LimitChange> limits;  ///< the limits of the old policy in order, then the new ones
};

/// Compares two runs over the same arrivals, both with RunTally::Keep::each_request.
Comparison compare(const Trial& before, const Trial& after);

}  // namespace headgate::simulate
