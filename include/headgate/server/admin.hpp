#pragma once
// The admin interface: it has its own listener and its own thread, so that it answers even if all workers are busy or
// stuck.

#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::server {

/// Whether this gateway should get new requests. Each reason is a sentence without its dot.
struct Readiness {
  std::vector<std::string> unready;   ///< empty: ready
  std::vector<std::string> degraded;  ///< what fails, although requests are served
};

/// Serves GET /metrics, /healthz and /readyz, and every other endpoint that has a row. Call start() and stop() on one
/// thread, once each. The registry must outlive it.
class Admin {
 public:
  /// `ready` and the answers of `more` are called on the admin thread.
  Admin(config::Admin options, observe::Registry& registry, std::function<Readiness()> ready,
        std::vector<AdminEndpoint> more = {});
  ~Admin();  ///< stops
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  /// Listens and serves. If its port is taken, the options decide: an error text, an event in the log, or another port.
  Result<void, std::string> start();
  /// Stops; requests in flight have at most one second.
  void stop();

  std::uint16_t port() const noexcept;  ///< 0 while it does not listen

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::server
