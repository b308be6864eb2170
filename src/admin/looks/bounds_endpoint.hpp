#pragma once
// GET /api/v1/bounds: all bounds beside how much of each is used.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/bounds.hpp"

namespace headgate::admin {

/// `bounds` outlives the admin interface.
AdminEndpoint bounds_endpoint(const BoundsBoard& bounds);

}  // namespace headgate::admin
