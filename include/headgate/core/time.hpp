#pragma once
// The two clocks' types. Floor 1 reads no clock: time is handed in as an argument, so every rule runs on a virtual one.

#include <chrono>
#include <cstdint>

namespace headgate {

/// All durations of ours, in microseconds: the unit of Redis TIME and of the limiter's arithmetic.
using Duration = std::chrono::microseconds;

/// Wall clock in microseconds since the epoch. What a limit counts by, so that several gateways mean the same moment.
using Instant = std::chrono::sys_time<Duration>;

/// The wall clock now. Not for floor 1.
inline Instant now() noexcept { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

}  // namespace headgate
