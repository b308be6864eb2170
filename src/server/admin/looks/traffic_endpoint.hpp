#pragma once
// GET /api/v1/traffic: what each route has to do at the moment.

#include "server/admin/operator_board.hpp"
#include "server/watch/traffic_rates.hpp"

#include "headgate/server/admin_endpoints.hpp"

namespace headgate::server {

/// Both outlive the admin interface.
AdminEndpoint traffic_endpoint(const TrafficRates& rates, const OperatorBoard& operators);

}  // namespace headgate::server
