#pragma once
// A named group of servers, as one worker sees it: taken in turn, with a pool of kept-alive connections to each.

#include "headgate/net/connect.hpp"
#include "headgate/upstream/connection.hpp"
#include "headgate/upstream/options.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <vector>

namespace headgate::upstream {

/// What a worker lends to its upstreams.
struct Environment {
  boost::asio::io_context& loop;
  net::Timers& timers;
  net::Blocks& blocks;
};

/// One server and the connections to it. Last in, first out, so that few stay warm and the rest grow old and go.
class Server {
 public:
  /// `options` outlive it: they are its upstream's.
  Server(Environment environment, const ServerOptions& server, const Options& options);
  const std::string& name() const noexcept { return name_; }

  /// A kept connection, or null.
  ConnectionPtr take_idle() noexcept;
  Task<Result<ConnectionPtr, Failure>> connect();
  /// Keeps the connection for the next request where it is reusable, else closes it.
  void give_back(ConnectionPtr connection);
  void stop();

 private:
  static void rested(void* self, net::Stream& stream);

  Environment environment_;
  std::string name_;
  const Options& options_;
  net::Connector connector_;
  std::vector<ConnectionPtr> idle_;
  bool stopped_ = false;
};

/// Worker thread only.
class Upstream {
 public:
  Upstream(Environment environment, const Options& options);
  ~Upstream() { stop(); }
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;
  const std::string& name() const noexcept { return options_.name; }

  /// A kept connection to the server whose turn it is, or null where it has none.
  ConnectionPtr take_idle() noexcept;
  /// A new connection to the server whose turn it is; the next ones are tried where it cannot be connected to.
  Task<Result<ConnectionPtr, Failure>> connect();
  /// Closes what is kept and fails what is under way; connections lent out are closed when given back.
  void stop();

 private:
  Options options_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::size_t turn_ = 0;
};

}  // namespace headgate::upstream
