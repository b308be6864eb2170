#pragma once
// Where one worker counts what becomes of requests under one configuration.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/counters.hpp"

#include <vector>

namespace headgate::gateway {

struct Exchange;

/// Made with a snapshot; its cells are the registry's, and the same as before for what a reload left. Worker thread.
class ExchangeCounters {
 public:
  ExchangeCounters(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);

  /// An exchange has ended, `took` after it began.
  void count(const Exchange& x, Duration took) const;

 private:
  void count_limits(const Exchange& x) const;

  std::vector<observe::RouteCounters> routes_;  ///< by Route::number; the last for what found no route
  std::vector<observe::LimitCounters> tiers_;   ///< by CompiledTier::number
};

}  // namespace headgate::gateway
