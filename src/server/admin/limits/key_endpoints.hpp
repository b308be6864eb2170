#pragma once
// GET and DELETE /api/v1/limits/{name}/keys/{key}: what a key has used of a limit, and to forget it.

#include "server/admin/operator_board.hpp"

#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace headgate::server {

class KeyReader;

/// Calls its argument with the Redis limiter of one worker, on that worker's thread; null if it has none. Any thread.
/// The argument is dropped if nothing is served any more.
using WithRedis = std::function<void(std::function<void(std::shared_ptr<redis::SharedLimiter>)>)>;

/// All outlive the admin interface.
std::vector<AdminEndpoint> key_endpoints(const OperatorBoard& board, limit::MemoryStore& memory,
                                         const limit::BanTable& bans, std::shared_ptr<const KeyReader> keys,
                                         WithRedis with_redis);

}  // namespace headgate::server
