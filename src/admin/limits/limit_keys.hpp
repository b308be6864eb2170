#pragma once
// Limits and their keys as an operator writes them.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/gateway/compiled_config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::admin {

/// Whether this is all that the limit counts by.
bool counts_by(const limit::Limit& limit, std::string_view word);

/// The key as the limit counts it: of an address the block that counts as one client. One that replaces a missing key
/// (`if_absent`) begins with what it is counted by, as "client_ip=192.0.2.7". An error is the answer that says what is
/// wrong with it.
Result<std::string, AdminAnswer> read_key(const config::Config& config, const limit::Limit& limit,
                                          const std::string& written);

/// Whether the limit does not apply to whoever has this key.
bool exempts(const config::Config& config, const limit::Limit& limit, std::string_view key);

/// The limit called `name`, as some route uses it: "plan", or "plan@search" for the counters of its own that a route
/// with a scale has. Null if there is none.
const gateway::CompiledLimit* compiled_limit(const gateway::CompiledConfig& compiled, std::string_view name);

/// Whether the log shows in clear whatever its keys may have; `callers` is what it shows of callers.
bool shown_in_clear(const limit::Limit& limit, const std::vector<std::string>& callers);

/// A 404 that says which limits there are.
AdminAnswer no_such_limit(const config::Config& config);

}  // namespace headgate::admin
