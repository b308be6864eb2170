#pragma once
// Describes the admin interface in OpenAPI 3.1, from the table of its endpoints.

#include "headgate/admin/admin_endpoints.hpp"

#include <vector>

namespace headgate::admin {

/// GET /api/v1/openapi.json for all `endpoints`, which must outlive the returned endpoint. The document is built at the
/// first call, because building it would take longer than all other work at startup, and few processes are ever asked
/// for it.
AdminEndpoint openapi_endpoint(const std::vector<AdminEndpoint>& endpoints);

}  // namespace headgate::admin
