#pragma once
// The admin interface: a listener of its own on a thread of its own, so that a busy or stuck worker never stops a look
// at it.

#include "headgate/config/config.hpp"
#include "headgate/core/result.hpp"
#include "headgate/observe/metrics.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::server {

/// Whether new requests should be sent here; each reason is a sentence without its dot.
struct Readiness {
  std::vector<std::string> unready;   ///< empty: ready
  std::vector<std::string> degraded;  ///< what does not work as it should, though requests are served
};

/// GET /metrics, /healthz and /readyz. start() and stop() on one thread, once each; lives no longer than its registry.
class Admin {
 public:
  /// `ready` is called on the admin thread.
  Admin(config::Admin options, observe::Registry& registry, std::function<Readiness()> ready);
  ~Admin();  ///< stops
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  /// Listens and serves. Where its port is taken: an error text, a line in the event log or another port, as its
  /// options say.
  Result<void, std::string> start();
  /// Ends what is in flight within a second.
  void stop();

  std::uint16_t port() const noexcept;  ///< 0 while it does not listen

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::server
