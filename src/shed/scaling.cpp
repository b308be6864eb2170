#include "headgate/shed/scaling.hpp"

#include <cmath>

namespace headgate::shed {
namespace {

constexpr std::size_t kMinWindows = 8;
/// Minimum spread of the numbers of requests in flight, as the standard deviation of their logarithm (about 2 %). From
/// a smaller spread nothing can be learned.
constexpr double kMinSpread = 0.02;
constexpr double kMore = 0.5;
constexpr double kNone = 0.3;

}  // namespace

void ScalingEstimate::add(double in_flight, double throughput) {
  if (!(in_flight > 0) || !(throughput > 0)) return;
  const Point point{std::log(in_flight), std::log(throughput)};
  if (points_.size() < kWindows)
    points_.push_back(point);
  else
    points_[next_] = point;
  next_ = (next_ + 1) % kWindows;
  scaling_ = estimate();
}

void ScalingEstimate::clear() noexcept {
  points_.clear();
  next_ = 0;
  scaling_ = Scaling::unknown;
}

Scaling ScalingEstimate::estimate() const noexcept {
  if (points_.size() < kMinWindows) return Scaling::unknown;
  const auto count = static_cast<double>(points_.size());
  double mean_in_flight = 0;
  double mean_throughput = 0;
  for (const auto& point : points_) {
    mean_in_flight += point.in_flight / count;
    mean_throughput += point.throughput / count;
  }
  double variance = 0;
  double covariance = 0;
  double scatter = 0;
  for (const auto& point : points_) {
    const double x = point.in_flight - mean_in_flight;
    const double y = point.throughput - mean_throughput;
    variance += x * x;
    covariance += x * y;
    scatter += y * y;
  }
  if (variance < count * kMinSpread * kMinSpread) return scaling_;
  const double slope = covariance / variance;
  const double residual = std::fmax(0.0, scatter - slope * covariance);
  const double error = std::sqrt(residual / (count - 2) / variance);
  if (slope - error > kMore) return Scaling::more;
  if (slope + error < kNone) return Scaling::none;
  return Scaling::unknown;
}

}  // namespace headgate::shed
