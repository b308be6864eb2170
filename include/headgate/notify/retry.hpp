#pragma once
// What an answer to a webhook means, and when to try again. Reads no clock and draws no random number.

#include "headgate/core/time.hpp"

#include <optional>

namespace headgate::notify {

/// The first pause after a failed attempt, before its jitter; each further one is twice as long.
inline constexpr Duration kFirstPause = std::chrono::seconds(1);
/// The longest pause, also where the receiver asks for a longer one.
inline constexpr Duration kLongestPause = std::chrono::minutes(5);

enum class WebhookOutcome {
  delivered,  ///< 2xx
  retry,      ///< another attempt may succeed
  refused     ///< 410, and every 4xx but 408, 409, 425 and 429: it would not
};
WebhookOutcome outcome_of(unsigned status) noexcept;

/// The pause after `failed` attempts in a row, at least 1. `dice`, from 0 to below 1, shortens it by up to half, so
/// that gateways that failed together do not come back together. Never shorter than what the receiver `asked` for, but
/// never longer than kLongestPause.
Duration pause_after(unsigned failed, double dice, std::optional<Duration> asked) noexcept;

}  // namespace headgate::notify
