#pragma once
// The connections to one server. Last in, first out: a few stay in use, the others reach their idle timeout.

#include "h1_connection.hpp"
#include "handshakes.hpp"

#include "headgate/net/connect.hpp"
#include "headgate/net/tls_session.hpp"
#include "headgate/upstream/environment.hpp"

#include <memory>
#include <string>
#include <vector>

namespace headgate::upstream {

/// Worker thread only.
class H1Pool {
 public:
  /// `options`, `row` and `tls` belong to the upstream and outlive the pool. `at` is the index of the server.
  H1Pool(Environment environment, const Options& options, std::size_t at, balance::Server& row, const TlsUse& tls);
  const std::string& name() const noexcept { return name_; }
  balance::Server& row() noexcept { return row_; }
  Handshakes& handshakes() noexcept { return handshakes_; }

  /// An idle connection, or null.
  H1ConnectionPtr take_idle() noexcept;
  /// A new connection.
  Task<Result<H1ConnectionPtr, Failure>> connect();
  /// Keeps the connection for the next request if it is reusable, else closes it.
  void give_back(H1ConnectionPtr connection);
  /// Closes idle connections and ends connect() calls. Keeps no connection from then on.
  void stop();

 private:
  static void idle(void* self, net::Stream& stream);
  bool stays_idle(H1Connection& connection);

  Environment environment_;
  std::string name_;
  const Options& options_;
  balance::Server& row_;
  const TlsUse& tls_;
  std::shared_ptr<net::TlsSession> session_;  ///< null without TLS
  Handshakes handshakes_;
  net::Connector connector_;
  std::vector<H1ConnectionPtr> idle_;
  bool stopped_ = false;
};

}  // namespace headgate::upstream
