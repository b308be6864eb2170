#pragma once
// GET /api/v1/status: one look at this gateway.

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/admin/reasons.hpp"
#include "headgate/admin/traffic_rates.hpp"
#include "headgate/observe/logs.hpp"

namespace headgate::admin {

/// All of them outlive the admin interface.
AdminEndpoint status_endpoint(const AdminBoard& board, const Reasons& reasons, const OperatorBoard& operators,
                              const observe::Logs& logs, const TrafficRates& rates);

}  // namespace headgate::admin
