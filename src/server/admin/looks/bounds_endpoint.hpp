#pragma once
// GET /api/v1/bounds: all bounds beside how much of each is used.

#include "headgate/server/admin_endpoints.hpp"
#include "headgate/server/bounds.hpp"

namespace headgate::server {

/// `bounds` outlives the admin interface.
AdminEndpoint bounds_endpoint(const Bounds& bounds);

}  // namespace headgate::server
