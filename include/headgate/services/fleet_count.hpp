#pragma once
// How many gateways share Redis, from what it said in the last minute that it was there.

#include <chrono>
#include <cstdint>
#include <deque>

namespace headgate::services {

/// A value on a clock that is an argument.
///
/// The count is the most gateways that were there at once in the last minute: one that left a moment ago may come back,
/// and after Redis was emptied it takes some seconds until all have said again that they are there. Too many cost some
/// permits in an outage; too few let callers have more than the limit. Time without answers does not pass here, so the
/// first answer after an outage does not end what was known before it.
class FleetCount {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  using Time = Steady::duration;
  static constexpr std::chrono::minutes kRemembers{1};
  /// After so long without an answer, Redis was away.
  static constexpr std::chrono::seconds kAway{15};

  /// Notes how many gateways were there at `now`.
  void told(std::uint32_t gateways, Steady now);
  /// Forgets all counts, as another Redis is used from now on.
  void forget() { *this = {}; }
  /// The most of the last minute; 0 if nothing is known.
  std::uint32_t most() const noexcept;
  /// The least of it: so many have been there for long. 0 if it is not known for all of the minute.
  std::uint32_t lasting() const noexcept;

 private:
  struct Count {
    Time at;
    std::uint32_t gateways;
  };

  std::deque<Count> counts_;  ///< of the last minute, and the one before these
  Time passed_{0};
  Steady last_{};
};

}  // namespace headgate::services
