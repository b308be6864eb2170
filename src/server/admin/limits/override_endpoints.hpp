#pragma once
// The admin endpoints for overrides: list, give, end.

#include "key_reader.hpp"
#include "key_use.hpp"
#include "server/admin/operator_board.hpp"
#include "server/services/override_service.hpp"

#include "headgate/server/admin_endpoints.hpp"

#include <memory>
#include <vector>

namespace headgate::server {

/// GET /api/v1/overrides and /api/v1/limits/{name}/overrides; PUT and DELETE of
/// /api/v1/limits/{name}/overrides/{key}. `board` outlives the admin interface.
std::vector<AdminEndpoint> override_endpoints(OperatorBoard& board, const std::shared_ptr<OverrideService>& overrides,
                                              std::shared_ptr<const KeyReader> keys, std::shared_ptr<const KeyUse> use);

}  // namespace headgate::server
