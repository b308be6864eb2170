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

/// Whether the limit counts by `word` alone.
bool counts_by(const limit::Limit& limit, std::string_view word);

/// Returns the key as the limit counts it. An address becomes the block that counts as one client. A key that replaces
/// a missing one (`if_absent`) begins with its kind, as in "client_ip=192.0.2.7". The error is the answer that says
/// what is wrong.
Result<std::string, AdminAnswer> read_key(const config::Config& config, const limit::Limit& limit,
                                          const std::string& written);

/// Whether the limit exempts callers with this key.
bool exempts(const config::Config& config, const limit::Limit& limit, std::string_view key);

/// Returns the limit called `name` as some route uses it: "plan", or "plan@search" for the separate counters of a route
/// with a scale. Null if there is none.
const gateway::CompiledLimit* compiled_limit(const gateway::CompiledConfig& compiled, std::string_view name);

/// Returns the parts of keys that the log shows in clear because the configuration names them: log.callers, and
/// "descriptor:KEY" for the keys in log.descriptors.
std::vector<std::string> named_in_log(const config::Config& config);
/// Whether the log shows all possible keys of the limit in clear; `callers` is the result of named_in_log().
bool shown_in_clear(const limit::Limit& limit, const std::vector<std::string>& callers);

/// Whether the limit is a balance.
bool is_a_balance(const limit::Limit& limit);

/// A 409: a balance is never reset.
AdminAnswer no_reset_of_balance();

/// A 404 that lists the existing limits.
AdminAnswer no_such_limit(const config::Config& config);

}  // namespace headgate::admin
