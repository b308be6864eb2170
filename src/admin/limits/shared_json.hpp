#pragma once
// What gateways tell each other, as JSON: overrides, and how many heard of a change.

#include "headgate/core/result.hpp"
#include "headgate/limit/override.hpp"
#include "headgate/services/log_exchange.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace headgate::admin {

/// The longest time of an override.
inline constexpr Duration kLongestOverride = std::chrono::hours(24) * 366;

/// Reads {"rate": "500/minute", "burst": 800, "for": "1h", "why": "launch"}: from `now` on; limit and key are left
/// empty. The error is a sentence.
Result<limit::Override, std::string> read_override(const std::string& body, Instant now);

/// Its members in the order of the documents. `why_not`: why it has no effect; "" if it has.
nlohmann::ordered_json to_json(const limit::Override& override, Instant now, std::string_view why_not = {});

/// {"written": true, "heard": 2, "of": 2}; without the numbers if they are not known.
nlohmann::ordered_json to_json(const services::Spread& spread);

}  // namespace headgate::admin
