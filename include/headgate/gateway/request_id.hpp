#pragma once
// X-Request-Id: the caller's id if it is valid, otherwise a new one.

#include "headgate/core/random.hpp"
#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// The wall-clock time at a moment of the steady clock. The difference between the clocks is measured only
/// occasionally. This is exact enough for an id, and reading a clock costs as much as making the rest of the id.
class WallOfSteady {
 public:
  Instant at(const Clock& clock, Clock::Steady moment) noexcept {
    if (until_next_-- == 0) {
      ahead_ =
          clock.wall().time_since_epoch() - std::chrono::duration_cast<Duration>(clock.steady().time_since_epoch());
      until_next_ = kEvery;
    }
    return Instant(std::chrono::duration_cast<Duration>(moment.time_since_epoch()) + ahead_);
  }

 private:
  static constexpr unsigned kEvery = 1024;
  unsigned until_next_ = 0;
  Duration ahead_{0};
};

/// The ids of one worker; its thread only.
class RequestIds {
 public:
  explicit RequestIds(Random& random) : counter_(random()) {}

  /// Returns the caller's id if it is valid, otherwise a new one. A valid id has 1 to 128 characters from A-Z, a-z,
  /// 0-9, '-', '_' and '.'. A new id has 16 characters of Crockford's base 32, and new ids sort by time. The result is
  /// a view into the head or x.text.
  std::string_view of(Exchange& x);

 private:
  std::string_view fresh(Exchange& x);

  std::uint64_t counter_;
  WallOfSteady wall_;
};

}  // namespace headgate::gateway
