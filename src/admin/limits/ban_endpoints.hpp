#pragma once
// The admin endpoints for suspensions: list, add, lift.

#include "key_reader.hpp"
#include "key_use.hpp"

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/services/ban_service.hpp"

#include <memory>
#include <vector>

namespace headgate::admin {

/// GET, POST and DELETE of /api/v1/bans.
std::vector<AdminEndpoint> ban_endpoints(const std::shared_ptr<services::BanService>& bans,
                                         std::shared_ptr<const KeyReader> keys, std::shared_ptr<const KeyUse> use);

}  // namespace headgate::admin
