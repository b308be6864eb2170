#pragma once
// GET /api/v1/servers: which servers get requests, and why others do not.

#include "server/watch/collect.hpp"
#include "server/watch/upstream_queues.hpp"

#include "headgate/server/admin_endpoints.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headgate::server {

/// The queues before an upstream.
using AskQueues = std::function<std::vector<QueueUse>(const std::string& upstream)>;

/// Both are called on the admin thread.
AdminEndpoint servers_endpoint(std::function<std::vector<UpstreamReport>()> ask, AskQueues queues);

}  // namespace headgate::server
