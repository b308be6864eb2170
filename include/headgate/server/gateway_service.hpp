#pragma once
// The gateway as a service of the server: from a checked configuration to workers that run the request's path.

#include "headgate/config/config.hpp"
#include "headgate/server/server.hpp"

namespace headgate::server {

/// Serves `config` until told to stop; returns as serve() does.
int serve_gateway(const config::Config& config);

}  // namespace headgate::server
