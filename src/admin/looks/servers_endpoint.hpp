#pragma once
// GET /api/v1/servers: which servers get requests, and why others do not.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/collect.hpp"
#include "headgate/admin/upstream_queues.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headgate::admin {

/// The queues before an upstream.
using AskQueues = std::function<std::vector<QueueUse>(const std::string& upstream)>;

/// Both are called on the admin thread.
AdminEndpoint servers_endpoint(std::function<std::vector<UpstreamReport>()> ask, AskQueues queues);

}  // namespace headgate::admin
