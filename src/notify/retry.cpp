#include "headgate/notify/retry.hpp"

#include <algorithm>

namespace headgate::notify {

WebhookOutcome outcome_of(unsigned status) noexcept {
  if (status / 100 == 2) return WebhookOutcome::delivered;
  if (status / 100 != 4) return WebhookOutcome::retry;
  const bool passing = status == 408 || status == 409 || status == 425 || status == 429;
  return passing ? WebhookOutcome::retry : WebhookOutcome::refused;
}

Duration pause_after(unsigned failed, double dice, std::optional<Duration> asked) noexcept {
  auto pause = kFirstPause;
  for (unsigned i = 1; i < failed && pause < kLongestPause; ++i) pause *= 2;
  pause = std::min(pause, kLongestPause);
  pause -= std::chrono::duration_cast<Duration>(pause * (dice / 2));
  return asked ? std::max(pause, std::min(*asked, kLongestPause)) : pause;
}

}  // namespace headgate::notify
