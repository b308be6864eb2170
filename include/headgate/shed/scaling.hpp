#pragma once
// Whether more requests at the same time give more answers a second. It tells a queue from a slow answer: both make
// latency grow, but only a queue gives nothing for the requests that stand in it.

#include <cstddef>
#include <vector>

namespace headgate::shed {

/// What the last windows say.
enum class Scaling {
  unknown,  ///< they are too few, too similar or too scattered
  more,     ///< throughput grows with the requests in flight: they do not queue
  none      ///< throughput does not grow with them: they queue
};

/// Remembers requests in flight and throughput of the last windows. Pure; one thread.
///
/// The measure is the slope of the line through (ln in_flight, ln throughput), found by least squares, which is their
/// covariance by the variance of the first. 1: twice as many in flight, twice the throughput. 0: no more throughput,
/// so twice the latency (Little's law). Uber's Cinnamon uses the sign of the covariance; a slope is comparable between
/// upstreams, and has a standard error.
class ScalingEstimate {
 public:
  /// How many windows it remembers.
  static constexpr std::size_t kWindows = 20;

  /// A window ended: the mean of its requests in flight, and its answers a second. Both above 0.
  void add(double in_flight, double throughput);
  Scaling scaling() const noexcept { return scaling_; }
  /// Forgets everything: what was measured is not valid any more.
  void clear() noexcept;

 private:
  struct Point {
    double in_flight;   // its logarithm
    double throughput;  // its logarithm
  };
  Scaling estimate() const noexcept;

  std::vector<Point> points_;  ///< a ring
  std::size_t next_ = 0;
  Scaling scaling_ = Scaling::unknown;
};

}  // namespace headgate::shed
