#pragma once
// Tells the log when Redis is lost and found, and what it refused: a few lines an outage, however long and however
// often it flaps.

#include "headgate/observe/event.hpp"
#include "headgate/redis/limiter.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::redis {

/// Lets kBurst lines through at once and one a second after that, and counts the others. One thread.
class LineGate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kBurst = 6;

  [[nodiscard]] bool pass(Time now);
  /// The field that tells how many lines were left out since the last one, or nothing; starts counting anew.
  observe::EventField left_out();

 private:
  double tokens_ = kBurst;
  Time refilled_{};
  std::uint64_t left_out_ = 0;
};

/// One per connection; errors never crowd out the news of lost and found. One thread.
class HealthLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit HealthLog(std::string server) : server_(std::move(server)) {}

  /// Tells a change between up and not up, and a new reason for not being up.
  void note(Health health, std::string_view reason, Time now);
  /// An answer that says nothing of Redis's health, but that the operator must know.
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
