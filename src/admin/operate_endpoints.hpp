#pragma once
// What an operator does to a running gateway: drain it, choose what it logs, take a server out.

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/endpoints.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/admin/server_sizes.hpp"
#include "headgate/observe/logs.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headgate::admin {

/// POST /api/v1/drain, PUT /api/v1/log-level, PUT /api/v1/upstreams/{name}/servers/{server}/state and …/size. All of
/// them outlive the admin interface. `drain` is called on the main thread, once; `tell` when a server goes down or is
/// down no more, on the thread of the admin interface, as `size` is.
std::vector<AdminEndpoint> operate_endpoints(OperatorBoard& operators, AdminBoard& board, observe::Logs& logs,
                                             std::function<void()> drain, TellState tell, TellSize size);

}  // namespace headgate::admin
