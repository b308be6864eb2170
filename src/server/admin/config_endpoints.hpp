#pragma once
// GET /api/v1/config and /api/v1/config/diff: the configuration in force, and how the file differs from it.

#include "operator_board.hpp"
#include "server/side_thread.hpp"

#include "headgate/server/admin_endpoints.hpp"
#include "headgate/server/serve_gateway.hpp"

#include <vector>

namespace headgate::server {

/// `read_again` is called on the side thread, which stops before the admin interface. All outlive that.
std::vector<AdminEndpoint> config_endpoints(OperatorBoard& board, SideThread& side, const ReadAgain& read_again);

}  // namespace headgate::server
