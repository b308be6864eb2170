#pragma once
// Checks the health of servers in the background, and resolves their names again from time to time.

#include "server/config/reload.hpp"

#include "headgate/core/clock.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/server/server.hpp"
#include "headgate/services/service.hpp"
#include "headgate/upstream/health_call.hpp"
#include "headgate/upstream/names.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {

/// A function that runs its argument with the service of each worker, on that worker's thread. Does nothing while no
/// worker runs.
using TellWorkers = std::function<void(const std::function<void(WorkerService&)>&)>;

/// Main thread only.
class ServerCare final : public services::Service {
 public:
  /// The calls to servers and resolver.
  struct Calls {
    upstream::Names::LookUp look_up;
    std::function<upstream::BeginHealthCheck(upstream::AddressesOf)> checks;
  };
  /// Returns calls to the system's resolver and to the servers. The loop outlives them.
  static Calls calls_on(boost::asio::io_context& loop);

  /// `board` receives the last check of each server. All arguments must outlive this object.
  ServerCare(Clock& clock, observe::Registry& registry, admin::AdminBoard& board, Calls calls,
             TellWorkers tell_workers);
  ServerCare(const ServerCare&) = delete;
  ServerCare& operator=(const ServerCare&) = delete;

  /// Watches the servers of this configuration, soon after the workers have received it. The state of servers that were
  /// already watched is kept.
  void adopt(const std::shared_ptr<const services::ActiveConfig>& active) override;
  void start() override;
  /// Checks the servers that are not down, after an operator took a server down or let it in again.
  void note_states();
  /// Returns the names of servers whose last look-up failed, with the reasons.
  std::vector<std::pair<std::string, std::string>> failing_names() const { return names_.failing(); }
  /// Ends checks and look-ups for good.
  void stop() override;

 private:
  void look_after();
  void tell(const upstream::HealthReport& report);
  void mark(const std::string& upstream, const std::string& server, bool up);
  void passed_check(const std::string& upstream, const std::string& server);
  void tell(const upstream::NamedAddresses& name);

  observe::Registry& registry_;
  admin::AdminBoard& board_;
  const TellWorkers tell_workers_;
  Clock& clock_;
  upstream::Names names_;
  upstream::HealthChecks checks_;
  std::shared_ptr<const services::ActiveConfig> active_;
  std::shared_ptr<const services::ActiveConfig> next_;  ///< an active configuration whose servers are not watched yet
  std::unique_ptr<Bell> bell_;
  bool runs_ = false;
};

}  // namespace headgate::server
