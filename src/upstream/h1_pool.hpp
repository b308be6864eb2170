#pragma once
// The pool of connections to one server. The connection that was used last is taken first, so that few connections stay
// in use and the others reach their idle timeout. Connections that were idle in the last poll are preferred: the poll
// shows whether they have unrequested bytes, so that the kernel need not be asked. If there is no such connection, the
// loop polls again.

#include "h1_connection.hpp"
#include "server_dialler.hpp"

#include "headgate/net/readiness.hpp"

#include <boost/intrusive/list.hpp>

#include <vector>

namespace headgate::upstream {

class H1Pool final : public ServerDialler {
 public:
  /// Creates the pool of the server with the index `at` in the options.
  H1Pool(Environment environment, const ServerGroupOptions& options, std::size_t at, const TlsUse& tls,
         balance::ServerPtr row);
  H1Pool(const H1Pool&) = delete;
  H1Pool& operator=(const H1Pool&) = delete;
  ~H1Pool() override { stop(); }

  CountedAttemptPtr take_idle(std::size_t at) noexcept override;
  Task<Result<CountedAttemptPtr, Failure>> connect(std::size_t at) override;
  void give_back(CountedAttemptPtr attempt) override;
  void lead_to(const std::vector<net::Tcp::endpoint>& addresses) override;
  void break_off() override;
  void stop() override;

 private:
  static void idle(void* self, net::Stream& stream);
  bool stays_idle(H1Connection& connection);
  void note_look() noexcept;
  bool is_silent(H1Connection& connection, bool rested) const noexcept;

  net::Readiness& readiness_;
  std::vector<H1ConnectionPtr> idle_;
  std::size_t rested_ = 0;   ///< number of connections at the front that were idle in the last poll
  std::uint64_t looks_ = 0;  ///< number of polls of the loop, as far as known
  boost::intrusive::list<H1Connection, boost::intrusive::constant_time_size<false>> all_;  ///< all open connections
  bool stopped_ = false;
};

}  // namespace headgate::upstream
