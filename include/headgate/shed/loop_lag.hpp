#pragma once
// Measures how far a worker is behind with its work, and decides which requests it refuses for that reason.

#include "headgate/core/time.hpp"
#include "headgate/shed/priority.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::shed {

/// A state machine; one thread. Each measurement of the lag changes a pressure between 0 and 2. Up to 1, the pressure
/// is the share of low requests that are refused. Above 1, all low requests are refused, and the rest is the share of
/// normal requests that are refused. The pressure rises while the lag is above `tolerated`, falls while it is below
/// half of that, and does not change in between. Shares avoid the swings in load that refusing all or nothing would
/// cause.
///
/// Critical requests are refused only if the worker lagged by kExtreme in two consecutive measurements. Their answers
/// would come too late anyway.
class LoopLag {
 public:
  /// Interval of the measurements.
  static constexpr Duration kEvery = std::chrono::milliseconds(100);
  static constexpr Duration kExtreme = std::chrono::seconds(1);

  explicit LoopLag(Duration tolerated) noexcept : tolerated_(tolerated) {}

  /// Adds a measurement: `lag` is how much too late the worker ran the measurement.
  void measured(Duration lag) noexcept;
  /// Returns whether to refuse the next request of this priority. Counts the request, so that refusals are spread
  /// evenly.
  bool refuses(Priority priority) noexcept;
  /// Returns whether nothing is refused at the moment.
  bool calm() const noexcept { return pressure_ == 0 && extreme_ < 2; }

  /// Returns the last measurement.
  Duration lag() const noexcept { return lag_; }
  double pressure() const noexcept { return pressure_; }
  /// Returns the time until this priority is no longer refused if the lag ends now, in seconds, rounded up, at least 1.
  std::uint64_t retry_after(Priority priority) const noexcept;

 private:
  double refused_share(Priority priority) const noexcept;

  Duration tolerated_;
  Duration lag_{0};
  double pressure_ = 0;
  unsigned extreme_ = 0;           // Number of consecutive measurements of at least kExtreme.
  double owed_[kPriorities] = {};  // Refusals that are due for each priority, as fractions.
};

}  // namespace headgate::shed
