#pragma once
// An adaptive limit of requests at the same time, found from the latency of answers. Used by shed/concurrency.

#include "headgate/core/time.hpp"
#include "headgate/shed/scaling.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::shed {

/// Between which bounds the limit moves.
struct ConcurrencyRange {
  std::uint32_t least = 4;    ///< at least 1
  std::uint32_t most = 1000;  ///< at least `least`
  bool operator==(const ConcurrencyRange&) const = default;
};

/// A state machine on a clock that is an argument; one thread.
///
/// It is Gradient2 of Netflix's concurrency-limits: samples are averaged in short windows; at the end of each, the
/// limit is multiplied by long average / short average x 1.5, which is at most 1 and at least 1/2, and a little is
/// added: half of the root of the limit, or a twentieth of it if that is more. A fifth of that change is made. It does
/// not change while less than half of it is used. It never lowers the limit to measure latency without load, so it
/// refuses nothing for a measurement.
///
/// Its known weaknesses are that the long average follows a long overload, so that the limit drifts up, and that an
/// overload which comes first is taken for what is usual. Four additions:
///  - ScalingEstimate tells a queue from slow answers. In a queue the limit shrinks. If answers are slow without a
///    queue, the long average learns them quickly, because a lower limit would not help.
///  - While the limit holds requests back, the long average learns only what is certainly faster.
///  - A window counts as slow only as far as its average is certain (two standard errors), so a mixture of fast and
///    slow answers does not lower the limit by chance.
///  - Until the first sign of congestion the limit grows by a quarter in each window, as TCP's slow start.
/// A dropped request (no answer in time, no connection) lowers the limit as its share of the window.
class Gradient {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  explicit Gradient(ConcurrencyRange bounds);

  /// The current limit: within its bounds.
  std::uint32_t limit() const noexcept { return static_cast<std::uint32_t>(limit_); }
  /// What counts as the usual latency; 0 before the first window has ended.
  Duration usual_latency() const noexcept;

  /// A request got an answer after `latency`. `in_flight`: how many there were, this one included.
  void answered(Duration latency, std::uint32_t in_flight, Steady now);
  /// A request got no answer in time, or no connection.
  void dropped(std::uint32_t in_flight, Steady now);
  /// A request was refused, because the limit was reached.
  void refused() noexcept;

 private:
  struct Window {
    Steady began{};
    double count = 0;    // answers
    double mean = 0;     // of their latency, in microseconds
    double squares = 0;  // of the differences from the mean
    double drops = 0;
    double in_flight = 0;  // the sum over answers and drops
    std::uint32_t most_in_flight = 0;
    bool refused = false;
  };

  void note(std::uint32_t in_flight, Steady now);
  void close_if_due(Steady now);
  void close(Steady now);
  void learn(double latency, double error, bool held_back);
  double gradient(double latency) const noexcept;

  ConcurrencyRange bounds_;
  double limit_;
  double long_ = 0;         // microseconds
  unsigned windows_ = 0;    // how many have ended, up to the end of the warm-up
  bool congested_ = false;  // whether there ever was a sign of congestion
  bool known_ = false;      // whether the long average comes from windows without a queue
  Window window_;
  ScalingEstimate scaling_;
};

}  // namespace headgate::shed
