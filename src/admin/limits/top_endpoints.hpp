#pragma once
// GET /api/v1/top and GET /api/v1/limits/{name}/top: who is limited.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/top_service.hpp"

#include <memory>
#include <vector>

namespace headgate::admin {

/// `logs` outlives the admin interface.
std::vector<AdminEndpoint> top_endpoints(std::shared_ptr<services::TopService> service, const observe::Logs& logs);

}  // namespace headgate::admin
