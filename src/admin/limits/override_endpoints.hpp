#pragma once
// The admin endpoints for overrides: list, give, end.

#include "key_reader.hpp"
#include "key_use.hpp"

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/services/override_service.hpp"

#include <memory>
#include <vector>

namespace headgate::admin {

/// GET /api/v1/overrides and /api/v1/limits/{name}/overrides; PUT and DELETE of
/// /api/v1/limits/{name}/overrides/{key}. `board` outlives the admin interface.
std::vector<AdminEndpoint> override_endpoints(OperatorBoard& board,
                                              const std::shared_ptr<services::OverrideService>& overrides,
                                              std::shared_ptr<const KeyReader> keys, std::shared_ptr<const KeyUse> use);

}  // namespace headgate::admin
