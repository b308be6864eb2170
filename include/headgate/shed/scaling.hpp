#pragma once
// Estimates whether more concurrent requests give more answers per second. This tells a queue from slow answers: both
// raise the latency, but requests in a queue add no throughput.

#include <cstddef>
#include <vector>

namespace headgate::shed {

/// The finding from the last windows.
enum class Scaling {
  unknown,  ///< The windows are too few, too similar or too scattered.
  more,     ///< Throughput grows with the requests in flight, so they do not queue.
  none      ///< Throughput does not grow with the requests in flight, so they queue.
};

/// An estimate from the requests in flight and the throughput of the last windows. Pure; one thread.
///
/// The measure is the slope of the least-squares line through (ln in_flight, ln throughput): their covariance divided
/// by the variance of ln in_flight. At 1, twice as many requests in flight give twice the throughput. At 0, they give
/// no more throughput and twice the latency (Little's law). Uber's Cinnamon uses the sign of the covariance; a slope
/// can be compared between upstreams, and has a standard error.
class ScalingEstimate {
 public:
  /// Number of windows that are remembered.
  static constexpr std::size_t kWindows = 20;

  /// Adds a window: its mean of requests in flight, and its answers per second. Both must be greater than 0.
  void add(double in_flight, double throughput);
  Scaling scaling() const noexcept { return scaling_; }
  /// Forgets all windows, because they are no longer valid.
  void clear() noexcept;

 private:
  struct Point {
    double in_flight;   // Natural logarithm of the mean number of requests in flight.
    double throughput;  // Natural logarithm of the answers per second.
  };
  Scaling estimate() const noexcept;

  std::vector<Point> points_;  ///< Ring buffer of the last windows.
  std::size_t next_ = 0;
  Scaling scaling_ = Scaling::unknown;
};

}  // namespace headgate::shed
