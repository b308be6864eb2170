#pragma once
// GET /api/v1/status: one look at this gateway.

#include "admin_board.hpp"
#include "operator_board.hpp"
#include "server/watch/traffic_rates.hpp"

#include "headgate/observe/logs.hpp"
#include "headgate/server/admin_endpoints.hpp"
#include "headgate/server/reasons.hpp"

namespace headgate::server {

/// All of them outlive the admin interface.
AdminEndpoint status_endpoint(const AdminBoard& board, const Reasons& reasons, const OperatorBoard& operators,
                              const observe::Logs& logs, const TrafficRates& rates);

}  // namespace headgate::server
