#pragma once
// GET and DELETE /api/v1/limits/{name}/keys/{key}: what a key has used of a limit, and to forget it.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/endpoints.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/redis/limiter.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace headgate::admin {

class KeyReader;

/// All outlive the admin interface.
std::vector<AdminEndpoint> key_endpoints(const OperatorBoard& board, limit::MemoryStore& memory,
                                         const limit::BanTable& bans, std::shared_ptr<const KeyReader> keys,
                                         WithRedis with_redis);

}  // namespace headgate::admin
