#pragma once
// The types of the two clocks. Modules of floor 1 read no clock: they take the time as an argument, so every rule can
// run on a virtual clock.

#include <chrono>
#include <cstdint>

namespace headgate {

/// All durations, in microseconds: the unit of Redis TIME and of the limiter's arithmetic.
using Duration = std::chrono::microseconds;

/// Wall clock in microseconds since the epoch. Limits count by it, so that several gateways mean the same moment.
using Instant = std::chrono::sys_time<Duration>;

/// Never set back: what durations are measured by.
using SteadyClock = std::chrono::steady_clock;

/// The wall clock now. Not for floor 1.
inline Instant now() noexcept { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

}  // namespace headgate
