#pragma once
// Looks several times a second at what can be wrong with this gateway, and keeps its list of reasons current.

#include "admin_board.hpp"

#include "headgate/server/reasons.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace headgate::server {

/// What /readyz says of these reasons.
Readiness readiness_of(const Reasons& reasons);

/// Redis does not answer, or does (null).
void tell_redis(Reasons& reasons, const RedisOutage* outage);
/// What is wrong with these upstreams; all others are well.
void tell_upstreams(Reasons& reasons, const std::vector<UpstreamReport>& upstreams);

/// Main thread only, which runs the loop.
class ReasonWatch {
 public:
  explicit ReasonWatch(boost::asio::io_context& loop) : timer_(loop) {}
  /// Calls `look` at each look, from start() on. Before it.
  void add(std::function<void()> look) { looks_.push_back(std::move(look)); }
  /// Looks at once, and from now on.
  void start();
  /// Nothing of it is left on the loop.
  void stop();

 private:
  void arm();

  boost::asio::steady_timer timer_;
  std::vector<std::function<void()>> looks_;
  bool stopped_ = false;
};

}  // namespace headgate::server
