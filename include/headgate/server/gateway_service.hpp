#pragma once
// The gateway as a service of the server: from a checked configuration to workers that run the request's path.

#include "headgate/config/config.hpp"
#include "headgate/server/server.hpp"

#include <functional>
#include <optional>

namespace headgate::server {

/// Reads and checks the configuration again; nothing where it cannot be used, after saying why.
using ReadAgain = std::function<std::optional<config::Config>()>;

/// Serves `config` until told to stop; returns as serve() does. At SIGHUP routes, limits, tiers, upstreams and Redis
/// are swapped as one for what `read_again` gives; requests under way end as they began. What else has changed is
/// logged as waiting for a restart. Throws std::invalid_argument for a configuration that no checker lets through.
int serve_gateway(const config::Config& config, const ReadAgain& read_again);

}  // namespace headgate::server
