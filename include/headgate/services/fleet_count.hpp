#pragma once
// The number of gateways that share Redis, as Redis reported it in the last minute in which Redis answered.

#include <chrono>
#include <cstdint>
#include <deque>

namespace headgate::services {

/// A count of the gateways, as a value without a clock: the time is an argument.
///
/// The count is the largest number of gateways that were present at once in the last minute. A gateway that left a
/// moment ago may come back, and after Redis was emptied it takes some seconds until all have registered again. A count
/// that is too high wastes some permits in an outage; a count that is too low lets callers exceed the limit. Time
/// without answers does not count, so the first answer after an outage does not discard the earlier counts.
class FleetCount {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  using Time = Steady::duration;
  static constexpr std::chrono::minutes kRemembers{1};
  /// Time without an answer after which Redis counts as absent.
  static constexpr std::chrono::seconds kAway{15};

  /// Records how many gateways were present at `now`.
  void told(std::uint32_t gateways, Steady now);
  /// Forgets all counts, because the gateways use another Redis from then on.
  void forget() { *this = {}; }
  /// Returns the largest number in the last minute; 0 if nothing is known.
  std::uint32_t most() const noexcept;
  /// Returns the smallest number in the last minute, which is the number of gateways that stayed; 0 unless the number
  /// is known for the whole minute.
  std::uint32_t lasting() const noexcept;

 private:
  struct Count {
    Time at;
    std::uint32_t gateways;
  };

  std::deque<Count> counts_;  ///< Counts of the last minute, and the one before it.
  Time passed_{0};
  Steady last_{};
};

}  // namespace headgate::services
