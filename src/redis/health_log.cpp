#include "health_log.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

constexpr std::size_t kMaxReason = 200;

/// Text of a server's making, fit for one quoted field of one line.
std::string quoted(std::string_view text) {
  std::string out(text.substr(0, kMaxReason));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\') c = '\'';
  return out;
}

double seconds(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

void HealthLog::note(Health health, std::string_view reason, Time now) {
  if (health == Health::up) {
    if (std::exchange(known_, Known::up) == Known::up) return;
    reason_.clear();
    if (!changes_.pass(now)) return;
    if (down_since_ == Time{})
      spdlog::info("event=redis_found server={}{}", server_, changes_.left_out());
    else
      spdlog::info("event=redis_found server={} after_s={:.3f}{}", server_, seconds(now - down_since_),
                   changes_.left_out());
    return;
  }
  if (reason.empty() || (known_ == Known::down && reason == reason_)) return;
  if (std::exchange(known_, Known::down) != Known::down) down_since_ = now;
  reason_ = reason;
  if (changes_.pass(now))
    spdlog::warn("event=redis_lost server={} reason=\"{}\"{}", server_, quoted(reason), changes_.left_out());
}

void HealthLog::error(std::string_view text, Time now) {
  if (errors_.pass(now))
    spdlog::error("event=redis_error server={} reason=\"{}\"{}", server_, quoted(text), errors_.left_out());
}

bool LineGate::pass(Time now) {
  tokens_ = refilled_ == Time{} ? kBurst : std::min(kBurst, tokens_ + seconds(now - refilled_));
  refilled_ = now;
  if (tokens_ < 1) {
    ++left_out_;
    return false;
  }
  tokens_ -= 1;
  return true;
}

std::string LineGate::left_out() {
  const auto count = std::exchange(left_out_, 0);
  return count == 0 ? std::string() : " lines_left_out=" + std::to_string(count);
}

}  // namespace headgate::redis
