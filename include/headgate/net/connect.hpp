#pragma once
// Connecting by name: resolved and connected without blocking, within a deadline.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>

namespace headgate::net {

/// Finds the addresses of one host and port, and connects to them. Worker thread only.
class Connector {
 public:
  Connector(boost::asio::io_context& loop, Timers& timers, std::string host, std::uint16_t port);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// A new connection, its addresses tried in turn; errors: timed_out, refused, not found… Names are resolved anew
  /// after 30 s.
  Task<Result<StreamPtr>> connect(Duration timeout);
  /// Fails what is under way.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::net
