#pragma once
// Counts load shedding, and shows the lag of the worker's loop, on which load shedding depends.

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <vector>

namespace headgate::shed {
class Concurrency;
}

namespace headgate::gateway {

/// Counters of the refused requests by layer, whichever step refused them, and of the time that requests waited for
/// their places.
class SheddingCounters {
 public:
  static constexpr Step kStep = Step::shed;
  explicit SheddingCounters(const Counting& counting);

  /// Counts an exchange, at its end.
  void count(const Exchange& x) const;
  /// Sets the gauges to this worker's requests at an upstream, which is given by its Route::upstream.
  void show(std::size_t upstream, shed::Concurrency& concurrency) const noexcept;
  /// Returns the gauge for the lag of this worker's loop; null if the lag is not watched.
  observe::Gauge* loop_lag() const noexcept { return loop_lag_; }
  /// Resets the gauges, so that they show no value.
  void clear() const noexcept;

 private:
  /// The metrics of one upstream; null where the upstream has no such number.
  struct OfUpstream {
    std::array<std::array<observe::Counter*, kCountOf<shed::Priority>>, kCountOf<shed::Layer>> refused{};
    observe::Gauge* limit = nullptr;      ///< the adaptive limit of this worker
    observe::Gauge* in_flight = nullptr;  ///< the requests of this worker that wait for the head of their answer
    observe::Gauge* waiting = nullptr;    ///< the requests of this worker that wait for a place
    observe::Histogram* queue_seconds = nullptr;  ///< time that requests waited before they got a place
  };
  OfUpstream make(const Counting& counting, const Route& route) const;

  std::vector<OfUpstream> upstreams_;  ///< by Route::upstream; empty if no load is shed
  observe::Gauge* loop_lag_ = nullptr;
};

}  // namespace headgate::gateway
