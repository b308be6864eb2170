#pragma once
// GET /api/v1/usage and GET /api/v1/usage/{day}: the usage report.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/services/billing_service.hpp"

#include <memory>
#include <vector>

namespace headgate::admin {

std::vector<AdminEndpoint> usage_endpoints(const std::shared_ptr<services::BillingService>& service);

}  // namespace headgate::admin
