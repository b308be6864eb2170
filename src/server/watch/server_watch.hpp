#pragma once
// Watches the servers of all upstreams from the main thread: lets the watch of each decide four times a second, and
// reports what changed.

#include "server/config/reload.hpp"

#include "headgate/balance/watch.hpp"
#include "headgate/observe/metrics.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace headgate::server {

/// Main thread only, which runs the loop.
class ServerWatch {
 public:
  ServerWatch(boost::asio::io_context& loop, observe::Registry& registry) : timer_(loop), registry_(registry) {}
  /// The upstreams of this configuration from now on.
  void use(std::shared_ptr<const ActiveConfig> active) { active_ = std::move(active); }
  void start() { arm(); }
  /// Nothing of it is left on the loop.
  void stop();

 private:
  void arm();
  void tick();
  void report(const upstream::Options& upstream, const balance::EjectChange& change);
  void report(const upstream::Options& upstream, balance::CircuitState circuit);

  boost::asio::steady_timer timer_;
  bool stopped_ = false;
  observe::Registry& registry_;
  std::shared_ptr<const ActiveConfig> active_;
};

}  // namespace headgate::server
