#pragma once
// The description of the admin interface in OpenAPI 3.1, from the table of its endpoints.

#include "headgate/admin/admin_endpoints.hpp"

#include <vector>

namespace headgate::admin {

/// GET /api/v1/openapi.json, of all `endpoints`, which outlive it. The text is made at the first call: few processes
/// are ever asked for it, and it is the largest part of what a gateway would do at its start.
AdminEndpoint openapi_endpoint(const std::vector<AdminEndpoint>& endpoints);

}  // namespace headgate::admin
