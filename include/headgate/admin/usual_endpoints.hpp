#pragma once
// All endpoints of an admin interface: those of every gateway, those given by the caller, and their OpenAPI
// description.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/observe/metrics.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headgate::admin {

/// Whether this gateway should get new requests. Each reason is a sentence without its full stop.
struct ReadyReport {
  std::vector<std::string> unready;   ///< Reasons why the gateway should get no requests; empty if it is ready.
  std::vector<std::string> degraded;  ///< Failures while requests are still served.
};

/// GET /metrics, /healthz and /readyz, the endpoints in `more`, and GET /api/v1/openapi.json, which describes all of
/// them. `ready` is called on the admin thread. `ready` and the registry must outlive the admin interface.
class AllEndpoints {
 public:
  AllEndpoints(observe::Registry& registry, std::function<ReadyReport()> ready, std::vector<AdminEndpoint> more);
  AllEndpoints(const AllEndpoints&) = delete;
  AllEndpoints& operator=(const AllEndpoints&) = delete;

  const std::vector<AdminEndpoint>& rows() const noexcept { return rows_; }

 private:
  std::function<ReadyReport()> ready_;
  std::vector<AdminEndpoint> rows_;
};

}  // namespace headgate::admin
