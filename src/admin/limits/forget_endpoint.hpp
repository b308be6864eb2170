#pragma once
// The endpoint that forgets what all keys of a limit have used, in memory or in Redis.

#include "key_endpoints.hpp"

namespace headgate::admin {

/// All outlive the admin interface.
AdminEndpoint forget_endpoint(const OperatorBoard& board, limit::MemoryStore& memory, WithRedis with_redis);

}  // namespace headgate::admin
