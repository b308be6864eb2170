#pragma once
// Keys of limits as an operator writes them.

#include "headgate/config/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::services {

/// Returns the parts of a limit's key, as an operator writes them: "client_ip", or "jwt.sub|method" for several parts.
std::string key_words(const std::vector<limit::Per>& per);

/// Returns a counted key as an operator writes it. A key that stands in for a missing one (`if_absent`) begins with its
/// kind, as in "client_ip=192.0.2.7".
std::string written_key(const limit::Limit& limit, std::string_view key);
/// Does the same as written_key() above, for the limit called `limit`, which may be "limit@route". If there is no such
/// limit, returns the key as it is counted.
std::string written_key(const config::Config& config, std::string_view limit, std::string_view key);

}  // namespace headgate::services
