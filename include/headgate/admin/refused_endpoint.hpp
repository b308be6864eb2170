#pragma once
// GET /api/v1/refused: the last malformed requests of all workers.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/gateway/refused_requests.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace headgate::admin {

/// The malformed requests of all workers. Any thread.
class RefusedBoard {
 public:
  /// Returns the object in which a worker records its malformed requests. The object lives as long as the board.
  gateway::RefusedRequests& of(unsigned worker);
  /// Returns the requests of all workers, newest first.
  std::vector<gateway::RefusedRequest> list() const;

 private:
  mutable std::mutex mutex_;
  std::map<unsigned, std::unique_ptr<gateway::RefusedRequests>> workers_;
};

/// Returns the endpoint; `board` must outlive it. Callers with the role `reader` do not see the heads of the requests,
/// because a head contains more than the log does.
AdminEndpoint refused_endpoint(const RefusedBoard& board);

}  // namespace headgate::admin
