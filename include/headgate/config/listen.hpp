#pragma once
// The form of "listen", in a file and on the command line.

#include "headgate/core/literals.hpp"
#include "headgate/net/options.hpp"

#include <string_view>

namespace headgate::config {

/// Parses ":8080", "127.0.0.1:8080" or "[::1]:8080". With port 0, the system chooses the port.
Result<net::ListenOptions, LiteralError> parse_listen(std::string_view text);

}  // namespace headgate::config
