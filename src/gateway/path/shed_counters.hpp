#pragma once
// The counters of load shedding, and the lag of the worker's loop, by which it sheds.

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <vector>

namespace headgate::shed {
class Concurrency;
}

namespace headgate::gateway {

/// Which layer refused requests, whichever step that was, and how long requests waited for their places.
class SheddingCounters {
 public:
  static constexpr Step kStep = Step::shed;
  explicit SheddingCounters(const Counting& counting);

  /// Counts an exchange, at its end.
  void count(const Exchange& x) const;
  /// Shows the requests of this worker at an upstream, by Route::upstream.
  void show(std::size_t upstream, shed::Concurrency& concurrency) const noexcept;
  /// Where to show the lag of this worker's loop; null if it is not watched.
  observe::Gauge* loop_lag() const noexcept { return loop_lag_; }
  /// Lets the gauges show nothing.
  void clear() const noexcept;

 private:
  /// Null where the upstream has no such number.
  struct OfUpstream {
    std::array<std::array<observe::Counter*, kCountOf<shed::Priority>>, kCountOf<shed::Layer>> refused{};
    observe::Gauge* limit = nullptr;      ///< the adaptive limit of this worker
    observe::Gauge* in_flight = nullptr;  ///< the requests of this worker that wait for the head of their answer
    observe::Gauge* waiting = nullptr;    ///< the requests of this worker that wait for a place
    observe::Histogram* queue_seconds = nullptr;  ///< how long requests waited that got one
  };
  OfUpstream make(const Counting& counting, const Route& route) const;

  std::vector<OfUpstream> upstreams_;  ///< by Route::upstream; empty if nothing is shed
  observe::Gauge* loop_lag_ = nullptr;
};

}  // namespace headgate::gateway
