#pragma once
// The webhook's body of a quota notice, and the id of the notice.

#include "headgate/limit/notice.hpp"

#include <string>

namespace headgate::services {

/// Returns "quota_" and 32 hex digits: the same for the same limit, rate, key, period and percentage, in every process
/// and version. For a limit in memory the id also depends on `instance`, because each gateway counts separately.
std::string notice_id(const limit::Notice& notice, const std::string& instance);

/// Returns the body of the webhook, sent by the gateway `instance` at `now`.
std::string notice_body(const limit::Notice& notice, const std::string& instance, Instant now);

}  // namespace headgate::services
