#pragma once
// The behaviour of each algorithm, as rows of a rule and steps. Every row runs on every store. A new algorithm adds its
// rows here.

#include "headgate/core/time.hpp"
#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <vector>

namespace headgate::test {

struct Step {
  Duration at;  ///< time since the start of the scenario
  std::int64_t cost;
  bool allowed;
  std::uint64_t remaining;
  Duration retry_after;
  Duration reset_after;
  Duration delay{0};
  limit::How how = limit::How::take;
  const char* rate = nullptr;  ///< the rate from this step on, with the default burst; null if it does not change
};

struct Scenario {
  const char* algorithm;
  const char* name;  ///< a sentence in PascalCase
  const char* rate;
  std::uint64_t burst;  ///< 0 for the algorithm's usual burst
  std::vector<Step> steps;
  Duration wait{0};
  std::uint64_t limit = 0;  ///< the limit that callers see; 0 if it is the burst
  bool count_rejected = false;
  bool first_use = false;  ///< Rule::from_first_use
};

const std::vector<Scenario>& scenarios();
std::vector<Scenario> window_scenarios();  ///< Returns the scenarios of windows and logs.
std::vector<Scenario> large_scenarios();   ///< Returns the scenarios of limits of up to 10^13.

}  // namespace headgate::test
