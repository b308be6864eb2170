#pragma once
// Tells the log when Redis is lost and found, and what it refused: a few lines an outage, however long and however
// often it flaps.

#include "headgate/redis/limiter.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::redis {

/// At most kBurst lines at once and one a second after that; what was left out is counted in the next line. One thread.
class HealthLog {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kBurst = 6;

  explicit HealthLog(std::string server) : server_(std::move(server)) {}

  /// Tells a change between up and not up, and a new reason for not being up.
  void note(Health health, std::string_view reason, Time now);
  /// An answer that says nothing of Redis's health, but that the operator must know.
  void error(std::string_view text, Time now);

 private:
  enum class Known { nothing, up, down };

  bool may_write(Time now);
  std::string skipped();

  std::string server_;
  Known known_ = Known::nothing;
  std::string reason_;
  Time down_since_{};
  double tokens_ = kBurst;
  Time refilled_{};
  std::uint64_t skipped_ = 0;
};

}  // namespace headgate::redis
