#pragma once
// Two policies over the same arrivals: whom a change hits, and whom it frees.

#include "headgate/simulate/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::simulate {

/// One key of a limit that is rejected more often, or less often.
struct KeyChange {
  std::string key;
  std::uint64_t requests = 0;  ///< the more of both
  std::uint64_t rejected_before = 0;
  std::uint64_t rejected_after = 0;
};

struct LimitChange {
  enum class What : std::uint8_t { kept, added, removed };
  static constexpr std::size_t kMaxKeys = 20;

  std::string name;
  What what = What::kept;
  bool other_key = false;  ///< it counts by something else, so that its keys are others
  std::uint64_t requests_before = 0;
  std::uint64_t requests_after = 0;
  std::uint64_t rejected_before = 0;
  std::uint64_t rejected_after = 0;
  std::uint64_t keys_hit = 0;    ///< rejected more often than before
  std::uint64_t keys_freed = 0;  ///< less often
  std::vector<KeyChange> hit;    ///< the largest changes first, at most kMaxKeys
  std::vector<KeyChange> freed;
};

struct Comparison {
  std::uint64_t refused_before = 0;
  std::uint64_t refused_after = 0;
  /// Requests that only one of the two refuses, by whatever limit. They are not known of more than 2^30 arrivals.
  std::uint64_t hit = 0;
  std::uint64_t freed = 0;
  bool each_known = true;
  std::vector<LimitChange> limits;  ///< those of before in their order, then those that are new
};

/// Both runs have kept each request (RunTally::Keep::each_request), over the same arrivals.
Comparison compare(const Trial& before, const Trial& after);

}  // namespace headgate::simulate
