#pragma once
// The admin interface: a listener of its own on a thread of its own, so that a busy or stuck worker never stops a look
// at it.

#include "headgate/core/result.hpp"
#include "headgate/net/options.hpp"
#include "headgate/observe/metrics.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::server {

struct AdminOptions {
  net::ListenOptions listen{"127.0.0.1", 9900, "127.0.0.1:9900"};
  std::string token;      ///< what callers must bear; empty: none
  bool required = false;  ///< the user asked for it, so that not to listen is an error and not a warning
};

/// Whether new requests should be sent here; each reason is a sentence without its dot.
struct Readiness {
  std::vector<std::string> unready;   ///< empty: ready
  std::vector<std::string> degraded;  ///< what does not work as it should, though requests are served
};

/// GET /metrics, /healthz and /readyz. start() and stop() on one thread, once each; lives no longer than its registry.
class Admin {
 public:
  /// `ready` is called on the admin thread.
  Admin(AdminOptions options, observe::Registry& registry, std::function<Readiness()> ready);
  ~Admin();  ///< stops
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  /// Listens and serves. An error text where it cannot and must; where it need not, a line in the event log.
  Result<void, std::string> start();
  /// Ends what is in flight within a second.
  void stop();

  std::uint16_t port() const noexcept;  ///< 0 while it does not listen

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::server
