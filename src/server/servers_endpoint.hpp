#pragma once
// GET /api/v1/servers: which servers get requests, and why others do not.

#include "collect.hpp"

#include "headgate/server/admin_endpoints.hpp"

#include <functional>
#include <vector>

namespace headgate::server {

/// `ask` is called on the admin thread.
AdminEndpoint servers_endpoint(std::function<std::vector<UpstreamReport>()> ask);

}  // namespace headgate::server
