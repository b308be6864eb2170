#pragma once
// Schedules the health checks of all servers on the main thread, and tells when a server goes down or comes back. The
// checks themselves are made by a function such as that of upstream/health_call. Used by server.

#include "headgate/balance/health.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/upstream/health_options.hpp"
#include "headgate/upstream/options.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::upstream {

/// A server that is checked.
struct HealthTarget {
  std::string upstream;  ///< name of the upstream
  ServerOptions server;
  HealthOptions options;
  std::shared_ptr<const net::TlsContext> tls;  ///< TLS of the upstream; null for plain HTTP
};

/// A check under way. Destroying it before its end cancels it.
class HealthCheck {
 public:
  HealthCheck() = default;
  HealthCheck(const HealthCheck&) = delete;
  HealthCheck& operator=(const HealthCheck&) = delete;
  virtual ~HealthCheck() = default;
};

/// Receives the result of a check: empty if it passed; otherwise the reason of the failure, a sentence without a full
/// stop that calls the server "it". The result is net::kOwnWant if the check could not be made, which says nothing
/// about the server.
using HealthDone = std::function<void(std::string why)>;
/// Begins a check. Calls `done` once: within the timeout, but neither during this call nor after the check was
/// destroyed. `done` destroys the check.
using BeginHealthCheck = std::function<std::unique_ptr<HealthCheck>(const HealthTarget& target, HealthDone done)>;

/// The result of a check, or the end of all checks of a server. Valid during the call.
struct HealthReport {
  const HealthTarget& target;
  bool passed = true;
  bool up = true;  ///< state of the server from now on
  balance::Health::Change change = balance::Health::Change::none;
  std::string_view why;      ///< the reason, as HealthDone receives it
  std::uint32_t checks = 0;  ///< number of consecutive checks with this result
};

/// The schedule of the checks. Checks of the same server never overlap, and at most kAtOnce checks of all servers are
/// under way; others wait for their turn. One thread.
class HealthChecks {
 public:
  using Tell = std::function<void(const HealthReport& report)>;
  static constexpr std::size_t kAtOnce = 32;

  /// `clock` outlives this object. `seed` is any number, from which the jitter is derived.
  HealthChecks(Clock& clock, BeginHealthCheck begin, Tell tell, std::uint64_t seed);
  ~HealthChecks();
  HealthChecks(const HealthChecks&) = delete;
  HealthChecks& operator=(const HealthChecks&) = delete;

  /// Sets the servers to check. A server that stays keeps its state, and its checks go on if they are unchanged. A
  /// server that was down and is no longer checked is reported as up.
  void use(std::vector<HealthTarget> targets);
  /// Returns whether this server counts as up; true if it is not checked.
  bool up(std::string_view upstream, std::string_view server) const noexcept;
  /// Pauses or resumes the checks of a server. A pause ends the check under way and keeps the state; a resumed server
  /// is checked at once.
  void pause(std::string_view upstream, std::string_view server, bool paused);
  /// Ends all checks for good.
  void stop();

 private:
  struct Server;
  void next();
  void due(Server& server);
  void begin(Server& server);
  void ended(Server& server, const std::string& why);
  void forget(Server& server);

  Clock& clock_;
  BeginHealthCheck begin_;
  Tell tell_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::deque<Server*> waiting_;
  std::size_t under_way_ = 0;
};

}  // namespace headgate::upstream
