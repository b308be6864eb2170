#include "headgate/room/wait.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace headgate::room {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFresh = 2s;  // Time for which the last known position is used.
constexpr Duration kAhead = 5s;  // A call that is due after more than this time is far away.
// If only the number of visitors is bounded, a call is far away if more numbers than this are ahead of it. Fewer may be
// called together, because many visitors may leave at once.
constexpr std::int64_t kManyAhead = 32;
constexpr Duration kMeasure = 5s;    // Time between two measurements of the pace.
constexpr Duration kSilence = 120s;  // Minimum time of a measurement if the queue has not moved.
constexpr Duration kSoonest = 2s;
constexpr Duration kLatest = 20s;

double per_second(const RoomRule& rule) noexcept {
  return static_cast<double>(rule.count) * 1e6 / static_cast<double>(rule.period.count());
}

}  // namespace

void Knowledge::heard(const Answer& answer, Instant now) noexcept {
  next_ = std::max(next_, answer.next);
  serving_ = std::max(serving_, answer.serving);
  taken_ = answer.taken;
  heard_at_ = now;
  if (measured_at_ == Instant() || now < measured_at_) {
    measured_at_ = now;
    measured_ = serving_;
  }
  // While nobody waits, the queue moves as fast as visitors arrive, which says nothing about a wait.
  if (serving_ == next_) {
    measured_at_ = now;
    measured_ = serving_;
    return;
  }
  const auto passed = now - measured_at_;
  if (passed < kMeasure || (serving_ == measured_ && passed < kSilence)) return;
  const auto pace = static_cast<double>(serving_ - measured_) * 1e6 / static_cast<double>(passed.count());
  pace_ = pace_ > 0 ? pace_ * 0.7 + pace * 0.3 : pace;
  measured_at_ = now;
  measured_ = serving_;
}

bool Knowledge::is_far(const RoomRule& rule, std::int64_t number, Instant now) const noexcept {
  if (!known() || now - heard_at_ > kFresh) return false;
  const auto away = number - serving_;
  if (rule.count == 0) return away > std::max<std::int64_t>(kManyAhead, static_cast<std::int64_t>(rule.visitors / 16));
  const auto soon = per_second(rule) * std::chrono::duration<double>(kAhead).count();
  return away > rule.burst + std::llround(soon);
}

std::optional<Duration> Knowledge::wait(const RoomRule& rule, std::int64_t number) const noexcept {
  const auto away = number - serving_;
  if (away <= 0) return Duration(0);
  auto pace = rule.count > 0 ? per_second(rule) : pace_;
  if (rule.visitors > 0 && rule.count > 0 && pace_ > 0) pace = std::min(pace, pace_);
  if (pace <= 0 && rule.visitors > 0)
    pace = static_cast<double>(rule.visitors) / std::chrono::duration<double>(rule.stay).count();
  if (pace <= 0) return std::nullopt;
  constexpr double kLongest = 86'400.0 * 30;
  return Duration(std::llround(std::min(static_cast<double>(away) / pace, kLongest) * 1e6));
}

Duration longest_refresh(Duration grace) noexcept { return std::max<Duration>(std::min(kLatest, grace / 3), 1s); }

Duration refresh_after(const RoomRule& rule, std::optional<Duration> wait, std::uint64_t id) noexcept {
  const auto longest = longest_refresh(rule.grace);
  const auto fifth = std::clamp<Duration>(wait.value_or(longest * 5) / 5, std::min(kSoonest, longest), longest);
  return fifth - fifth / 5 * static_cast<std::int64_t>(id % 16) / 16;
}

Duration retry_after(const RoomRule& rule, std::optional<Duration> wait) noexcept {
  const auto longest = std::max<Duration>(rule.grace / 2, 1s);
  return std::clamp<Duration>(wait.value_or(longest), 1s, longest);
}

}  // namespace headgate::room
