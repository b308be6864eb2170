#pragma once
// What an operator does to a running gateway: drain it, choose what it logs, take a server out.

#include "admin_board.hpp"
#include "operator_board.hpp"
#include "server/watch/server_sizes.hpp"

#include "headgate/observe/logs.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headgate::server {

/// What an operator made of a server.
struct ServerState {
  std::string upstream;
  std::string server;
  bool down = false;  ///< whether its requests end
};
using TellState = std::function<void(const ServerState& now)>;
/// Gives a server another weight or bound, soon. False if nothing can be changed any more.
using TellSize = std::function<bool(const std::string& upstream, const std::string& server, const WantedSize& size)>;

/// POST /api/v1/drain, PUT /api/v1/log-level, PUT /api/v1/upstreams/{name}/servers/{server}/state and …/size. All of
/// them outlive the admin interface. `drain` is called on the main thread, once; `tell` when a server goes down or is
/// down no more, on the thread of the admin interface, as `size` is.
std::vector<AdminEndpoint> operate_endpoints(OperatorBoard& operators, AdminBoard& board, observe::Logs& logs,
                                             std::function<void()> drain, TellState tell, TellSize size);

}  // namespace headgate::server
