#pragma once
// Keys of limits as an operator writes them.

#include "headgate/config/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::services {

/// What a key is counted by, as an operator writes it: "client_ip", or "jwt.sub|method" of several parts.
std::string key_words(const std::vector<limit::Per>& per);

/// A key that the limit counts, as an operator writes it. One that replaces a missing key (`if_absent`) begins with
/// what it is counted by, as "client_ip=192.0.2.7".
std::string written_key(const limit::Limit& limit, std::string_view key);
/// The same of the limit called `limit`, or "limit@route"; as it is counted if there is none.
std::string written_key(const config::Config& config, std::string_view limit, std::string_view key);

}  // namespace headgate::services
