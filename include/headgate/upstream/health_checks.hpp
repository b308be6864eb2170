#pragma once
// Checks whether servers answer, on the main thread: when each server is checked, and what the checks say. The checks
// themselves are made by what it is given, upstream/health_call in the program.

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

/// One server that is checked.
struct HealthTarget {
  std::string upstream;  ///< its name
  ServerOptions server;
  HealthOptions options;
  std::shared_ptr<const net::TlsContext> tls;  ///< of its upstream; null: plain HTTP
};

/// One check under way. Destroyed before its end, it is cancelled.
class HealthCheck {
 public:
  HealthCheck() = default;
  HealthCheck(const HealthCheck&) = delete;
  HealthCheck& operator=(const HealthCheck&) = delete;
  virtual ~HealthCheck() = default;
};

/// `why` it failed, a sentence without its dot about the server as "it"; empty: it passed; net::kOwnWant: it could not
/// be made, which says nothing about the server.
using HealthDone = std::function<void(std::string why)>;
/// Begins a check. Calls `done` once, within the timeout: later, not from within this call, and not after the check was
/// destroyed. `done` destroys the check.
using BeginHealthCheck = std::function<std::unique_ptr<HealthCheck>(const HealthTarget& target, HealthDone done)>;

/// The end of one check, or of all checks of a server. Valid during the call.
struct HealthReport {
  const HealthTarget& target;
  bool passed = true;
  bool up = true;  ///< what the server counts as now
  balance::Health::Change change = balance::Health::Change::none;
  std::string_view why;      ///< as in HealthDone
  std::uint32_t checks = 0;  ///< how many in a row said so
};

/// Never two checks of one server at once, and at most kAtOnce of all servers: others wait for their turn. One thread.
class HealthChecks {
 public:
  using Tell = std::function<void(const HealthReport& report)>;
  static constexpr std::size_t kAtOnce = 32;

  /// The clock outlives it. `seed` is any number; it decides the jitter.
  HealthChecks(Clock& clock, BeginHealthCheck begin, Tell tell, std::uint64_t seed);
  ~HealthChecks();
  HealthChecks(const HealthChecks&) = delete;
  HealthChecks& operator=(const HealthChecks&) = delete;

  /// These servers from now on. A server that stays is up or down as before; also its checks go on if they are the
  /// same. A server that was down and is checked no more is told as up.
  void use(std::vector<HealthTarget> targets);
  /// Whether this server counts as up; true for one that is not checked.
  bool up(std::string_view upstream, std::string_view server) const noexcept;
  /// Whether this server is not to be asked: a check under way ends then, and what it counts as stays. Asked again, it
  /// is checked at once.
  void pause(std::string_view upstream, std::string_view server, bool paused);
  /// Ends all checks, now and later.
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
