#pragma once
// Logs when Redis becomes unavailable and available again, and its errors. Writes only a few lines for each outage,
// however long it lasts, and at most one line per second if outages keep repeating.

#include "headgate/observe/line_gate.hpp"
#include "headgate/redis/limiter.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::redis {

using observe::LineGate;

/// The log of one connection. Lines about errors do not count towards the maximum number of lines about outages. One
/// thread.
class HealthLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit HealthLog(std::string server) : server_(std::move(server)) {}

  /// Logs each change of whether Redis is up, and each new reason why it is not.
  void note(RedisHealth health, std::string_view reason, Time now);
  /// Logs an error reply that does not affect the health of Redis, but that the operator must know about.
  void error(std::string_view text, Time now);

 private:
  enum class Known { nothing, up, down };

  std::string server_;
  Known known_ = Known::nothing;
  std::string reason_;
  Time down_since_{};
  LineGate changes_;
  LineGate errors_;
};

}  // namespace headgate::redis
