#pragma once

#include "headgate/core/time.hpp"

#include <chrono>

namespace headgate::test {

inline Instant utc(int y, unsigned m, unsigned d, std::chrono::hours h = std::chrono::hours(0),
                   std::chrono::minutes min = std::chrono::minutes(0)) {
  return std::chrono::sys_days(std::chrono::year(y) / m / d) + h + min;
}

}  // namespace headgate::test
