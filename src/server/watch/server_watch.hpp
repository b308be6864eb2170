#pragma once
// Watches the servers of all upstreams on the main thread: shows them on the board, runs the watch of each upstream
// four times a second, and reports changes.

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/server_sizes.hpp"
#include "headgate/balance/watch.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/services/service.hpp"

#include <memory>

namespace headgate::server {

/// Main thread only; this thread runs the loop.
class ServerWatch final : public services::Service {
 public:
  /// `sizes` are the sizes that operators gave servers. All arguments must outlive this object.
  ServerWatch(Clock& clock, observe::Registry& registry, admin::AdminBoard& board, const admin::ServerSizes& sizes);
  /// Uses the upstreams of this configuration from now on, with its bounds for their servers.
  void adopt(const std::shared_ptr<const services::ActiveConfig>& active) override;
  void start() override;
  void stop() override { alarm_.reset(); }

 private:
  void tick();
  void report(const upstream::ServerGroupOptions& upstream, const balance::EjectChange& change);
  void report(const upstream::ServerGroupOptions& upstream, balance::CircuitState circuit);

  Clock& clock_;
  std::unique_ptr<Alarm> alarm_;
  observe::Registry& registry_;
  admin::AdminBoard& board_;
  const admin::ServerSizes& sizes_;
  std::shared_ptr<const services::ActiveConfig> active_;
};

}  // namespace headgate::server
