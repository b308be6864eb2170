#pragma once
// Counts the exchanges of one worker under one configuration.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/counters.hpp"

#include <array>
#include <cassert>
#include <memory>
#include <vector>

namespace headgate::gateway {

struct Exchange;

/// Where counters are made: in the registry, for one worker, as a configuration needs them. Each is found again after a
/// reload, by its labels.
struct Counting {
  observe::Registry& registry;
  observe::Writer worker;
  const CompiledConfig& compiled;

  /// Whether a route of the configuration has this step.
  bool any_takes(Step step) const noexcept;
};

/// The counters of the steps, by Step; null for a step that has none. Each is of a type of its own, as its row says
/// (gateway/steps/table.hpp).
using StepCounters = std::array<std::shared_ptr<const void>, kSteps>;
StepCounters make_step_counters(const Counting& counting);
/// Clears the gauges that only the active configuration shows.
void clear_gauges(const StepCounters& counters) noexcept;

/// Made with a snapshot. The counters belong to the registry. Worker thread only.
class ExchangeCounters {
 public:
  ExchangeCounters(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);

  /// The exchange has found its route, and is under way until count().
  void begin(Exchange& x) const;
  /// Counts what all exchanges have of one that has ended, `took` after it began. What its steps count is in their rows
  /// (gateway/steps/table.hpp).
  void count(const Exchange& x, Duration took) const;

  /// The counters of a step, of the type that its row names.
  template <typename T>
  const T& of() const noexcept {
    assert(of_steps_[static_cast<std::size_t>(T::kStep)] != nullptr);  // a row makes them
    return *static_cast<const T*>(of_steps_[static_cast<std::size_t>(T::kStep)].get());
  }
  const StepCounters& of_steps() const noexcept { return of_steps_; }

 private:
  const observe::RouteCounters& of_route(const Exchange& x) const;

  observe::WorkerRoutes& made_routes_;
  /// By Route::number; the last one is for requests without a route. Each is filled in by the first request of its
  /// route: there may be many routes, and a reload must not stop the worker.
  mutable std::vector<observe::RouteCounters> routes_;
  const StepCounters of_steps_;
};

}  // namespace headgate::gateway
