#pragma once
// The description of the admin interface in OpenAPI 3.1, from the table of its endpoints.

#include "headgate/admin/admin_endpoints.hpp"

#include <span>
#include <string>

namespace headgate::admin {

/// As JSON.
std::string openapi(std::span<const AdminEndpoint> endpoints);

/// GET /api/v1/openapi.json. `document` outlives the admin interface; it is complete before the first call.
AdminEndpoint openapi_endpoint(const std::string& document);

}  // namespace headgate::admin
