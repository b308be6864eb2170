#pragma once
// The gateway as a program of the server: turns a checked configuration into workers that run the request path.

#include "headgate/config/config.hpp"

#include <functional>
#include <optional>

namespace headgate::server {

/// Reads and checks the configuration again. Nothing, after an error message, if it cannot be used.
using ReadAgain = std::function<std::optional<config::Config>()>;

/// Serves `config` until a stop signal; returns as serve() does. At SIGHUP, routes, limits, tiers, upstreams and Redis
/// are replaced together by those of `read_again`; requests in flight finish with the old ones. Other changes are
/// logged as waiting for a restart. Throws std::invalid_argument for a configuration that the checker would not accept.
int serve_gateway(const config::Config& config, const ReadAgain& read_again);

}  // namespace headgate::server
