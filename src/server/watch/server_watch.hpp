#pragma once
// Watches the servers of all upstreams from the main thread: lets the watch of each decide four times a second, and
// reports what changed.

#include "server/config/reload.hpp"

#include "headgate/balance/watch.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/services/service.hpp"

#include <memory>

namespace headgate::server {

/// Main thread only, which runs the loop.
class ServerWatch final : public services::Service {
 public:
  /// Both outlive it.
  ServerWatch(Clock& clock, observe::Registry& registry);
  /// The upstreams of this configuration from now on.
  void adopt(const std::shared_ptr<const services::ActiveConfig>& active) override { active_ = active; }
  void start() override;
  void stop() override { alarm_.reset(); }

 private:
  void tick();
  void report(const upstream::ServerGroupOptions& upstream, const balance::EjectChange& change);
  void report(const upstream::ServerGroupOptions& upstream, balance::CircuitState circuit);

  Clock& clock_;
  std::unique_ptr<Alarm> alarm_;
  observe::Registry& registry_;
  std::shared_ptr<const services::ActiveConfig> active_;
};

}  // namespace headgate::server
