#pragma once
// An adaptive concurrency limit, derived from the latency of answers. Used by shed/concurrency.

#include "headgate/core/time.hpp"
#include "headgate/shed/scaling.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::shed {

/// The bounds of the limit.
struct ConcurrencyRange {
  std::uint32_t least = 4;    ///< Lower bound, at least 1.
  std::uint32_t most = 1000;  ///< Upper bound, at least `least`.
  bool operator==(const ConcurrencyRange&) const = default;
};

/// A state machine; the time is an argument. One thread.
///
/// The algorithm is Gradient2 of Netflix's concurrency-limits. Samples are averaged in short windows. At the end of
/// each window the limit is multiplied by (long average / short average x 1.5), clamped to 1/2 to 1, and a little is
/// added: half of the square root of the limit, or a twentieth of the limit if that is more. A fifth of this change is
/// applied. The limit does not change while less than half of it is used. It is never lowered to measure the latency
/// without load, so no request is refused for a measurement.
///
/// The algorithm has known weaknesses: the long average follows a long overload, so that the limit drifts up; and an
/// overload at the beginning is taken for the usual latency. Four additions mend them:
///  - ScalingEstimate tells a queue from slow answers. In a queue the limit shrinks. If answers are slow without a
///    queue, the long average learns them quickly, because a lower limit would not help.
///  - While the limit holds requests back, the long average learns only from windows that are certainly faster.
///  - A window counts as slow only as far as its average is certain (two standard errors), so a mixture of fast and
///    slow answers does not lower the limit by chance.
///  - Until the first sign of congestion the limit grows by a quarter in each window, as in TCP's slow start. A dropped
///    request (no answer in time, no connection) lowers the limit according to its share of the window.
class Gradient {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  explicit Gradient(ConcurrencyRange bounds);

  /// Returns the current limit, within its bounds.
  std::uint32_t limit() const noexcept { return static_cast<std::uint32_t>(limit_); }
  /// Returns the latency that counts as usual; 0 before the end of the first window.
  Duration usual_latency() const noexcept;

  /// Records that a request was answered after `latency`. `in_flight` is the number of concurrent requests, including
  /// this one.
  void answered(Duration latency, std::uint32_t in_flight, Steady now);
  /// Records that a request got no answer in time, or no connection.
  void dropped(std::uint32_t in_flight, Steady now);
  /// Records that a request was refused because the limit was reached.
  void refused() noexcept;

 private:
  struct Window {
    Steady began{};
    double count = 0;    // Number of answers.
    double mean = 0;     // Mean latency in microseconds.
    double squares = 0;  // Sum of squared differences from the mean.
    double drops = 0;
    double in_flight = 0;  // Sum of the concurrent requests at each answer and drop.
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
  double long_ = 0;         // The long average, in microseconds.
  unsigned windows_ = 0;    // Number of ended windows, counted until the end of the warm-up.
  bool congested_ = false;  // True after the first sign of congestion.
  bool known_ = false;      // True if the long average comes from windows without a queue.
  Window window_;
  ScalingEstimate scaling_;
};

}  // namespace headgate::shed
