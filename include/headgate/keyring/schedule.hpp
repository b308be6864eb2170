#pragma once
// When a URL is fetched next. Reads no clock and rolls no dice, so that a day of it is tested in a moment.

#include "headgate/core/time.hpp"
#include "headgate/keyring/pace.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace headgate::keyring {

/// For how long an answer may be used by its own word: the max-age of `cache_control` (RFC 9111 section 5.2.2.1) less
/// the seconds it spent in caches on the way (`age`, section 5.1). Nothing where it does not say.
std::optional<Duration> lifetime(std::string_view cache_control, std::string_view age) noexcept;

/// One URL's. `dice` is a number from 0 to below 1: every wait is up to a tenth shorter by it, so that a fleet that
/// started at once does not ask at once for ever. One thread.
class Schedule {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The first fetch is due at once.
  Schedule(Duration refresh, Duration refetch, const Pace& pace) noexcept;

  void began(Time now) noexcept;
  void succeeded(Time now, std::optional<Duration> lifetime, double dice) noexcept;
  void failed(Time now, double dice) noexcept;
  /// A key is asked for that the last answer did not have.
  void want() noexcept { wanted_ = true; }

  Time next() const noexcept;
  /// How many tries have failed since the last that did not.
  unsigned failures() const noexcept { return failures_; }

 private:
  Duration refresh_;
  Duration refetch_;
  Pace pace_;
  std::optional<Time> began_;
  Time due_{};  // at first long ago
  Duration retry_;
  unsigned failures_ = 0;
  bool wanted_ = false;
};

}  // namespace headgate::keyring
