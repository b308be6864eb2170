#pragma once
// The types of the two clocks. Pure modules (limit, http, balance and others) read no clock: they take the time as an
// argument, so that every rule can run on a virtual clock.

#include <chrono>
#include <cstdint>

namespace headgate {

/// The type of all durations, in microseconds: the unit of Redis TIME and of the limiter's arithmetic.
using Duration = std::chrono::microseconds;

/// A wall clock time in microseconds since the epoch. Limits count by the wall clock, so that all gateways use the same
/// time.
using Instant = std::chrono::sys_time<Duration>;

/// A clock that is never set back, to measure durations.
using SteadyClock = std::chrono::steady_clock;

/// Returns the current wall clock time. Not for pure modules.
inline Instant now() noexcept { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

}  // namespace headgate
