#pragma once
// GET /api/v1/limits and /api/v1/routes: the rules in force, in words, and what they decided.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/metrics.hpp"

#include <vector>

namespace headgate::admin {

/// All three outlive the admin interface.
std::vector<AdminEndpoint> limits_endpoints(const OperatorBoard& board, const observe::Registry& registry,
                                            const limit::MemoryStore& memory);
AdminEndpoint routes_endpoint(const OperatorBoard& board);

/// A 404 that says which limits there are.
AdminAnswer no_such_limit(const config::Config& config);

}  // namespace headgate::admin
