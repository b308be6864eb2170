#pragma once
// Reports limits whose key changes with each request. Main thread.

#include "headgate/admin/reasons.hpp"
#include "headgate/services/active_config.hpp"
#include "headgate/services/top_service.hpp"

namespace headgate::server {

/// Sets the reason `keys_change` for limits of `active` that count by values that callers write, if their keys keep
/// changing. If an address or a verified name changes, the cause is another caller, not a mistake.
void tell_changing_keys(admin::Reasons& reasons, services::TopService& top, const services::ActiveConfig& active);

}  // namespace headgate::server
