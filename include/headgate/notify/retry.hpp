#pragma once
// Classifies answers to a webhook and computes the pause before the next attempt. Reads no clock and draws no random
// number.

#include "headgate/core/time.hpp"

#include <optional>

namespace headgate::notify {

/// The first pause after a failed attempt, before jitter. Each further pause is twice as long.
inline constexpr Duration kFirstPause = std::chrono::seconds(1);
/// The longest pause, even if the receiver asks for a longer one.
inline constexpr Duration kLongestPause = std::chrono::minutes(5);

enum class WebhookOutcome {
  delivered,  ///< 2xx
  retry,      ///< Another attempt may succeed.
  refused     ///< 410, and every 4xx except 408, 409, 425 and 429: another attempt would fail as well.
};
WebhookOutcome outcome_of(unsigned status) noexcept;

/// Returns the pause after `failed` (at least 1) consecutive failed attempts. `dice`, from 0 to below 1, shortens the
/// pause by up to half, so that gateways that failed together do not retry together. The pause is at least as long as
/// the receiver `asked` for, but never longer than kLongestPause.
Duration pause_after(unsigned failed, double dice, std::optional<Duration> asked) noexcept;

}  // namespace headgate::notify
