#pragma once
// GET /api/v1/traffic: what each route has to do at the moment.

#include "operator_board.hpp"
#include "traffic_rates.hpp"

#include "headgate/server/admin_endpoints.hpp"

namespace headgate::server {

/// Both outlive the admin interface.
AdminEndpoint traffic_endpoint(const TrafficRates& rates, const OperatorBoard& operators);

}  // namespace headgate::server
