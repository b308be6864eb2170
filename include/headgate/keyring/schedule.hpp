#pragma once
// Decides when to fetch a URL next. Reads no clock and draws no random number, so that a test can run through a day in
// a moment.

#include "headgate/core/time.hpp"
#include "headgate/keyring/refresh_policy.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace headgate::keyring {

/// Returns how long an answer may be used according to its headers: the max-age of `cache_control` (RFC 9111 section
/// 5.2.2.1) minus the seconds that the answer spent in caches (`age`, section 5.1). Empty if the headers do not say.
std::optional<Duration> lifetime(std::string_view cache_control, std::string_view age) noexcept;

/// The schedule of one URL. `dice` is a random number from 0 to below 1 that shortens each wait by up to a tenth, so
/// that gateways that start together do not keep fetching together. One thread.
class Schedule {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Makes the first fetch due at once.
  Schedule(Duration refresh, Duration refetch, const RefreshPolicy& policy) noexcept;

  void began(Time now) noexcept;
  void succeeded(Time now, std::optional<Duration> lifetime, double dice) noexcept;
  void failed(Time now, double dice) noexcept;
  /// Reports that a token needs a key that the last answer did not contain.
  void want() noexcept { wanted_ = true; }

  Time next() const noexcept;
  /// Returns the number of failed attempts since the last success.
  unsigned failures() const noexcept { return failures_; }

 private:
  Duration refresh_;
  Duration refetch_;
  RefreshPolicy policy_;
  std::optional<Time> began_;
  Time due_{};  // A time in the distant past, so that the first fetch is due at once.
  Duration retry_;
  unsigned failures_ = 0;
  bool wanted_ = false;
};

}  // namespace headgate::keyring
