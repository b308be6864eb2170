#pragma once
// GET /api/v1/connections and /api/v1/requests: who is connected and what is served now; DELETE ends some of it.

#include "server/admin/operator_board.hpp"
#include "server/watch/connection_calls.hpp"

#include "headgate/observe/logs.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <vector>

namespace headgate::server {

/// All three outlive the admin interface.
std::vector<AdminEndpoint> connection_endpoints(ConnectionCalls& calls, const OperatorBoard& operators,
                                                const observe::Logs& logs);

/// The parameter "limit" of a query, from 1 to `most`; `usual` if it is not there. Nothing if it is no such number.
std::optional<std::size_t> limit_asked(const AdminCall& call, std::size_t usual, std::size_t most);

}  // namespace headgate::server
