#pragma once
// What an operator does to a running gateway: drain it, choose what it logs, take a server out.

#include "admin_board.hpp"
#include "operator_board.hpp"

#include "headgate/observe/logs.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <functional>
#include <vector>

namespace headgate::server {

/// POST /api/v1/drain, PUT /api/v1/log-level, PUT /api/v1/upstreams/{name}/servers/{server}/state. All of them outlive
/// the admin interface. `drain` is called on the main thread, once.
std::vector<AdminEndpoint> operate_endpoints(OperatorBoard& operators, AdminBoard& board, observe::Logs& logs,
                                             std::function<void()> drain);

}  // namespace headgate::server
