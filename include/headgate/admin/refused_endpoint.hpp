#pragma once
// GET /api/v1/refused: the last malformed requests of all workers.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/gateway/refused_requests.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace headgate::admin {

/// Any thread.
class RefusedBoard {
 public:
  /// Where the worker writes them. Lives as long as this.
  gateway::RefusedRequests& of(unsigned worker);
  /// Of all workers, the newest first.
  std::vector<gateway::RefusedRequest> list() const;

 private:
  mutable std::mutex mutex_;
  std::map<unsigned, std::unique_ptr<gateway::RefusedRequests>> workers_;
};

/// `board` outlives it. Readers do not see the heads: those say more than the log does.
AdminEndpoint refused_endpoint(const RefusedBoard& board);

}  // namespace headgate::admin
