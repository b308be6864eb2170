#pragma once
// A call of the rate limit service as one line of JSON, as the access log has it. Used by gateway and access_logs.

#include "headgate/envoy/rate_limit_service.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::envoy {

/// Returns `{"domain":"edge","descriptors":[{"generic_key":"login"}]}`. A member `hits` follows if a descriptor has
/// other hits than 1: the hits of each descriptor, below 0 if they are given back. Rates that the proxy asks for are
/// left out. Control characters and invalid UTF-8 are escaped.
std::string call_text(const RateLimitRequest& request);

/// Reads such a text, with sorted entries. Returns nothing for any other text.
std::optional<RateLimitRequest> call_in(std::string_view text);

}  // namespace headgate::envoy
