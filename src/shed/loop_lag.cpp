#include "headgate/shed/loop_lag.hpp"

#include <algorithm>
#include <cmath>

namespace headgate::shed {
namespace {

// Changes of the pressure per measurement. The pressure takes half a second to rise from no refusals to the refusal of
// all low requests, and two seconds to fall again. If the lag is far too large, the pressure rises faster.
constexpr double kUp = 0.2;
constexpr double kUpFast = 0.5;
constexpr int kFar = 4;
constexpr double kDown = 0.05;
constexpr double kMax = 2;

}  // namespace

void LoopLag::measured(Duration lag) noexcept {
  lag_ = lag;
  extreme_ = lag >= kExtreme ? extreme_ + 1 : 0;
  if (lag > tolerated_)
    pressure_ = std::min(kMax, pressure_ + (lag > kFar * tolerated_ ? kUpFast : kUp));
  else if (lag < tolerated_ / 2)
    pressure_ = pressure_ < kDown * 1.5 ? 0 : pressure_ - kDown;
}

double LoopLag::refused_share(Priority priority) const noexcept {
  switch (priority) {
    case Priority::critical:
      return extreme_ >= 2 ? 1 : 0;
    case Priority::normal:
      return std::clamp(pressure_ - 1, 0.0, 1.0);
    case Priority::low:
      return std::min(pressure_, 1.0);
    case Priority::count:
      break;
  }
  return 0;
}

bool LoopLag::refuses(Priority priority) noexcept {
  auto& owed = owed_[static_cast<std::size_t>(priority)];
  owed += refused_share(priority);
  if (owed < 1) return false;
  owed -= 1;
  return true;
}

std::uint64_t LoopLag::retry_after(Priority priority) const noexcept {
  const double over = priority == Priority::low ? pressure_ : priority == Priority::normal ? pressure_ - 1 : 0;
  const double steps = std::max(0.0, over) / kDown;
  const double waits = std::ceil(steps * std::chrono::duration<double>(kEvery).count());
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(waits));
}

}  // namespace headgate::shed
