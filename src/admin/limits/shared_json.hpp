#pragma once
// JSON for data that gateways share: overrides, and how many gateways applied a change.

#include "headgate/core/result.hpp"
#include "headgate/limit/override.hpp"
#include "headgate/services/log_exchange.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace headgate::admin {

/// The longest duration of an override.
inline constexpr Duration kLongestOverride = std::chrono::hours(24) * 366;

/// Reads {"rate": "500/minute", "burst": 800, "for": "1h", "why": "launch"}. The override begins at `now`; limit and
/// key are left empty. The error is a sentence.
Result<limit::Override, std::string> read_override(const std::string& body, Instant now);

/// Returns the override with its members in the order of the documentation. `why_not` says why the override has no
/// effect; "" if it has one.
nlohmann::ordered_json to_json(const limit::Override& override, Instant now, std::string_view why_not = {});

/// Returns {"written": true, "heard": 2, "of": 2}. The numbers are left out if they are unknown.
nlohmann::ordered_json to_json(const services::Spread& spread);

}  // namespace headgate::admin
