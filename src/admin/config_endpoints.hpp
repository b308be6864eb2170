#pragma once
// GET /api/v1/config and /api/v1/config/diff: the configuration in force, and how the file differs from it.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/endpoints.hpp"
#include "headgate/admin/operator_board.hpp"

#include <vector>

namespace headgate::admin {

/// `read_again` is called beside the main thread, which stops before the admin interface. All outlive that.
std::vector<AdminEndpoint> config_endpoints(OperatorBoard& board, RunAside aside, const config::ReadAgain& read_again);

}  // namespace headgate::admin
