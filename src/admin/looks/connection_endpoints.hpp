#pragma once
// GET /api/v1/connections and /api/v1/requests: who is connected and what is served now; DELETE ends some of it.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/connection_calls.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/observe/logs.hpp"

#include <vector>

namespace headgate::admin {

/// All three outlive the admin interface.
std::vector<AdminEndpoint> connection_endpoints(ConnectionCalls& calls, const OperatorBoard& operators,
                                                const observe::Logs& logs);

/// The parameter "limit" of a query, from 1 to `most`; `usual` if it is not there. Nothing if it is no such number.
std::optional<std::size_t> limit_asked(const AdminCall& call, std::size_t usual, std::size_t most);

}  // namespace headgate::admin
