#pragma once
// The options of one upstream. config fills them.

#include "headgate/gateway/forwarding.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/upstream/options.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace headgate::gateway {

/// The queue for a place at a server. Servers can have a bound of simultaneous requests
/// (upstream::ServerOptions::max_in_flight).
struct ServerQueue {
  /// largest number of waiting requests in the process; 0 to refuse further requests at once
  std::uint32_t length = 0;
  Duration wait = std::chrono::milliseconds(500);  ///< longest wait of a request
};

/// An upstream: how its servers are reached, and what the path does with its requests. Two objects compare equal if
/// their servers are reached in the same way, so that a change of anything else keeps the connections.
struct UpstreamOptions : upstream::ServerGroupOptions {
  /// The key by which requests are assigned to servers, so that equal keys go to one server. Empty if requests have no
  /// key.
  std::vector<limit::Per> balance_per;
  limit::Store in_flight_store = limit::Store::memory;  ///< the store that counts concurrency->in_flight
  /// requests with the same key wait in the same line of concurrency->queue; empty to use the client's address as the
  /// key
  std::vector<limit::Per> queue_per;
  std::optional<ServerQueue> server_queue;  ///< queue for a place at a server; set if one of the servers has a bound
  std::string base;                         ///< "/base", put before the path of each request; empty if there is none
  /// when requests are repeated; if not set, only requests that were not sent are repeated
  std::optional<Retry> retry;
};

}  // namespace headgate::gateway
