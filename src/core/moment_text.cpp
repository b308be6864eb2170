#include "headgate/core/moment_text.hpp"

#include <array>
#include <ctime>

namespace headgate {

std::string moment_text(Instant moment) {
  // to_time_t() is not used: it takes a time in nanoseconds, which cannot be later than the year 2262.
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(moment).time_since_epoch().count();
  std::tm parts{};
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&seconds, &parts))};
}

std::string day_text(Instant moment) { return moment_text(moment).substr(0, 10); }

}  // namespace headgate
