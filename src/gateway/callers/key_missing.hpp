#pragma once
// Refusals of callers without a key: without a good API key, or without the key that a limit counts by.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/limiter.hpp"

namespace headgate::gateway {

inline constexpr std::string_view kKeyChallenge = "ApiKey";

/// Returns the refusal of an API key that is unknown, disabled or expired.
Problem key_refused(KeyState state);

/// Returns the refusal for a caller who lacks the key of a limit, if the limit refuses such callers. The answer says
/// which credential is missing or not accepted. An unknown credential counts as a failed attempt.
Problem key_missing(limit::Limiter& memory, Exchange& x, const limit::Limit& limit);

}  // namespace headgate::gateway
