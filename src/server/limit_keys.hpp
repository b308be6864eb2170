#pragma once
// Keys of limits as an operator writes them.

#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <string>
#include <string_view>

namespace headgate::server {

/// The key as the limit counts it: of an address the block that counts as one client. An error is the answer that says
/// what is wrong with it.
Result<std::string, AdminAnswer> read_key(const config::Config& config, const limit::Limit& limit,
                                          const std::string& written);

/// Whether the limit does not apply to whoever has this key.
bool exempts(const config::Config& config, const limit::Limit& limit, std::string_view key);

/// The limit called `name` as routes use it at its own size; null if there is none, or no route uses it so.
const gateway::CompiledLimit* compiled_limit(const gateway::CompiledConfig& compiled, std::string_view name);

}  // namespace headgate::server
