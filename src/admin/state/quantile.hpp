#pragma once
// Estimates quantiles of durations from the buckets of a histogram.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headgate::admin {

/// Returns the quantile in seconds. Assumes an even distribution within a bucket, as Prometheus does. Values beyond the
/// last bound count as that bound. Empty if there are no values. `counts` has at least one element more than `bounds`.
inline std::optional<double> within(std::span<const Duration> bounds, std::span<const std::uint64_t> counts,
                                    double share) {
  double all = 0;
  for (const auto count : counts) all += static_cast<double>(count);
  if (all == 0) return std::nullopt;
  const auto seconds = [&](std::size_t i) { return std::chrono::duration<double>(bounds[i]).count(); };
  double below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto here = static_cast<double>(counts[i]);
    if (below + here >= share * all && here > 0) {
      const double from = i == 0 ? 0 : seconds(i - 1);
      return from + (seconds(i) - from) * (share * all - below) / here;
    }
    below += here;
  }
  return seconds(bounds.size() - 1);
}

}  // namespace headgate::admin
