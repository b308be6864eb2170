#pragma once
// GET /api/v1/traffic: what each route has to do at the moment.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/admin/traffic_rates.hpp"

namespace headgate::admin {

/// Both outlive the admin interface.
AdminEndpoint traffic_endpoint(const TrafficRates& rates, const OperatorBoard& operators);

}  // namespace headgate::admin
