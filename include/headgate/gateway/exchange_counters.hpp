#pragma once
// The counters of the exchanges of one worker under one configuration.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/counters.hpp"

#include <array>
#include <cassert>
#include <memory>
#include <vector>

namespace headgate::gateway {

struct Exchange;

/// The registry, the worker and the configuration that counters are made for. After a reload, counters with the same
/// labels are found again.
struct Counting {
  observe::Registry& registry;
  observe::Writer worker;
  const CompiledConfig& compiled;

  /// Returns whether a route of the configuration has this step.
  bool any_takes(Step step) const noexcept;
};

/// The counters of the steps, by Step; null for a step that has none. The row of each step names the type
/// (gateway/steps/table.hpp).
using StepCounters = std::array<std::shared_ptr<const void>, kSteps>;
StepCounters make_step_counters(const Counting& counting);
/// Clears the gauges that only the active configuration shows.
void clear_gauges(const StepCounters& counters) noexcept;

/// The counters belong to the registry; this object is made with a snapshot. Worker thread only.
class ExchangeCounters {
 public:
  ExchangeCounters(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);

  /// Counts the exchange as under way on its route, until count().
  void begin(Exchange& x) const;
  /// Counts the values that all exchanges have, for an exchange that ended `took` after its begin. The rows of the
  /// steps count the rest (gateway/steps/table.hpp).
  void count(const Exchange& x, Duration took) const;

  /// Returns the counters of a step. T is the type that the row of the step names.
  template <typename T>
  const T& of() const noexcept {
    assert(of_steps_[static_cast<std::size_t>(T::kStep)] != nullptr);  // the row of the step makes them
    return *static_cast<const T*>(of_steps_[static_cast<std::size_t>(T::kStep)].get());
  }
  const StepCounters& of_steps() const noexcept { return of_steps_; }

 private:
  const observe::RouteCounters& of_route(const Exchange& x) const;

  observe::WorkerRoutes& made_routes_;
  /// By Route::number; the last entry is for requests without a route. The first request of a route fills its entry,
  /// because there may be many routes, and a reload must not delay the worker.
  mutable std::vector<observe::RouteCounters> routes_;
  const StepCounters of_steps_;
};

}  // namespace headgate::gateway
