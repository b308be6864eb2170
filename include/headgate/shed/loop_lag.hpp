#pragma once
// How far a worker is behind with its own work, and which requests it refuses therefore.

#include "headgate/core/time.hpp"
#include "headgate/shed/priority.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::shed {

/// A state machine; one thread. Each measurement of the lag raises or lowers a pressure from 0 to 2. Up to 1 it is the
/// share of low requests that are refused; beyond, all low ones are, and the rest is the share of normal ones. The
/// pressure rises while the lag is above `tolerated`, falls while it is below half of that, and stays between. Shares
/// instead of all or nothing: else the load would swing between both.
///
/// Critical requests are refused only if the worker was kExtreme behind in two measurements in a row. Then it would
/// answer them too late anyway.
class LoopLag {
 public:
  /// How often the lag is measured.
  static constexpr Duration kEvery = std::chrono::milliseconds(100);
  static constexpr Duration kExtreme = std::chrono::seconds(1);

  explicit LoopLag(Duration tolerated) noexcept : tolerated_(tolerated) {}

  /// A measurement: how much later than planned the worker came to it.
  void measured(Duration lag) noexcept;
  /// Whether to refuse the next request of this priority. Counts the request: a share is spread evenly.
  bool refuses(Priority priority) noexcept;
  /// Whether it refuses nothing at the moment.
  bool calm() const noexcept { return pressure_ == 0 && extreme_ < 2; }

  /// The last measurement.
  Duration lag() const noexcept { return lag_; }
  double pressure() const noexcept { return pressure_; }
  /// How long the pressure takes to fall below the point where this priority is refused, if the lag ends now. In
  /// seconds, rounded up, at least 1.
  std::uint64_t retry_after(Priority priority) const noexcept;

 private:
  double refused_share(Priority priority) const noexcept;

  Duration tolerated_;
  Duration lag_{0};
  double pressure_ = 0;
  unsigned extreme_ = 0;           // measurements in a row
  double owed_[kPriorities] = {};  // refusals, as fractions
};

}  // namespace headgate::shed
