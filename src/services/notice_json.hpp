#pragma once
// A notice as the webhook tells it, and the id that it has wherever it is told.

#include "headgate/limit/notice.hpp"

#include <string>

namespace headgate::services {

/// "quota_" and 32 hex digits: the same for the same limit, rate, key, period and percentage, in every process and
/// version. Of a limit in memory also for the same `instance`, because each gateway counts by itself.
std::string notice_id(const limit::Notice& notice, const std::string& instance);

/// The body of the webhook, made by the gateway `instance` at `now`.
std::string notice_body(const limit::Notice& notice, const std::string& instance, Instant now);

}  // namespace headgate::services
