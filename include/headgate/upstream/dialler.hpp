#pragma once
// The interface between a group of servers and their protocol. The group chooses a server and counts; a dialler makes
// and keeps the connections to one server. Used by server_group.

#include "headgate/balance/table.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/upstream/counted_attempt.hpp"
#include "headgate/upstream/options.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace headgate::upstream {

/// The maker of connections to one server. Worker thread only. A reload passes the dialler of an unchanged server to
/// the next group; the dialler lives until the last group that uses it is destroyed, and longer than its attempts.
class Dialler {
 public:
  virtual ~Dialler() = default;
  /// Sets the timeouts and bounds that apply from now on.
  virtual void use(const ServerGroupOptions& options) noexcept = 0;
  /// Returns an attempt on an idle connection, or null. `at` is the index of the server, for Attempt::at().
  virtual CountedAttemptPtr take_idle(std::size_t at) noexcept = 0;
  /// Returns an attempt on a new connection, which counts as in flight from now on.
  virtual Task<Result<CountedAttemptPtr, Failure>> connect(std::size_t at) = 0;
  /// Keeps the connection of an attempt that has ended, if the connection can carry another attempt.
  virtual void give_back(CountedAttemptPtr attempt) = 0;
  /// Sets the addresses that the server's name resolves to now. Closes idle connections to other addresses, and keeps
  /// no connection to them after its attempt.
  virtual void lead_to(const std::vector<net::Tcp::endpoint>& addresses) = 0;
  /// Closes idle connections and ends connect() calls and attempts, because an operator took the server down.
  virtual void break_off() = 0;
  /// Closes idle connections, ends connect() calls, and keeps no connection from then on.
  virtual void stop() = 0;
};

/// Creates the dialler of the server with the index `at` in the options. `row` is the row of this server.
using Dial = std::function<std::shared_ptr<Dialler>(const ServerGroupOptions& options, std::size_t at,
                                                    const balance::ServerPtr& row)>;

}  // namespace headgate::upstream
