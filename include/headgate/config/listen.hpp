#pragma once
// "listen", in a file and on the command line.

#include "headgate/core/literals.hpp"
#include "headgate/net/options.hpp"

#include <string_view>

namespace headgate::config {

/// ":8080", "127.0.0.1:8080", "[::1]:8080"; port 0 lets the system pick.
Result<net::ListenOptions, LiteralError> parse_listen(std::string_view text);

}  // namespace headgate::config
