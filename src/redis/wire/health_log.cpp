#include "health_log.hpp"

#include "headgate/observe/event.hpp"

#include <utility>

namespace headgate::redis {
namespace {

using observe::event;
using observe::EventField;
using observe::LogLevel;

constexpr std::size_t kMaxReason = 200;

double seconds(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

void HealthLog::note(RedisHealth health, std::string_view reason, Time now) {
  if (health == RedisHealth::up) {
    if (std::exchange(known_, Known::up) == Known::up) return;
    reason_.clear();
    if (!changes_.pass(now)) return;
    const bool lost_before = down_since_ != Time{};
    event(LogLevel::info, "redis_found", {},
          {{"server", server_},
           lost_before ? EventField("after_s", seconds(now - down_since_)) : EventField(),
           changes_.left_out()});
    return;
  }
  if (reason.empty() || (known_ == Known::down && reason == reason_)) return;
  if (std::exchange(known_, Known::down) != Known::down) down_since_ = now;
  reason_ = reason;
  if (changes_.pass(now))
    event(LogLevel::warning, "redis_lost", {},
          {{"server", server_}, {"reason", reason.substr(0, kMaxReason)}, changes_.left_out()});
}

void HealthLog::error(std::string_view text, Time now) {
  if (errors_.pass(now))
    event(LogLevel::error, "redis_error", {},
          {{"server", server_}, {"reason", text.substr(0, kMaxReason)}, errors_.left_out()});
}

}  // namespace headgate::redis
