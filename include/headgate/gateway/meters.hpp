#pragma once
// Where one worker counts what becomes of requests under one configuration.

#include "headgate/gateway/site.hpp"
#include "headgate/observe/meters.hpp"

#include <vector>

namespace headgate::gateway {

struct Exchange;

/// Made with a snapshot; its cells are the registry's, and the same as before for what a reload left. Worker thread.
class Meters {
 public:
  Meters(observe::Registry& registry, observe::Writer worker, const Site& site);

  /// An exchange has ended, `took` after it began.
  void count(const Exchange& x, Duration took) const;

 private:
  void count_limits(const Exchange& x) const;

  std::vector<observe::RouteCells> routes_;  ///< by Route::number; the last for what found no route
  std::vector<observe::LimitCells> tiers_;   ///< by ReadyTier::number
};

}  // namespace headgate::gateway
