#pragma once
// The interface between a group of servers and the protocol that is spoken with them. The group chooses a server and
// counts; a dialler makes the connections to one server and keeps them.

#include "headgate/balance/table.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/upstream/counted_attempt.hpp"
#include "headgate/upstream/options.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace headgate::upstream {

/// Worker thread only. A reload hands the dialler of a server that stays to the next group; it lives as long as one of
/// them, and longer than its attempts.
class Dialler {
 public:
  virtual ~Dialler() = default;
  /// Uses the times and bounds of these options from now on.
  virtual void use(const ServerGroupOptions& options) noexcept = 0;
  /// An attempt on an idle connection, or null. `at` is the server's index, for Attempt::at().
  virtual CountedAttemptPtr take_idle(std::size_t at) noexcept = 0;
  /// One on a new connection. The server has one more attempt in flight from now on.
  virtual Task<Result<CountedAttemptPtr, Failure>> connect(std::size_t at) = 0;
  /// Keeps the connection of an attempt that has ended for the next one, if it can carry another one.
  virtual void give_back(CountedAttemptPtr attempt) = 0;
  /// The server's name leads to these addresses now. Closes idle connections to others, and keeps none to them.
  virtual void lead_to(const std::vector<net::Tcp::endpoint>& addresses) = 0;
  /// The server was taken down: closes idle connections, and ends connect() calls and attempts.
  virtual void break_off() = 0;
  /// Closes idle connections and ends connect() calls. Keeps no connection from then on.
  virtual void stop() = 0;
};

/// Makes the dialler of server `at` of the options, which `row` is the row of.
using Dial = std::function<std::shared_ptr<Dialler>(const ServerGroupOptions& options, std::size_t at,
                                                    const balance::ServerPtr& row)>;

}  // namespace headgate::upstream
