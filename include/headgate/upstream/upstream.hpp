#pragma once
// A named group of servers, as the path sees it: it starts attempts.

#include "headgate/shed/concurrency.hpp"
#include "headgate/upstream/attempt.hpp"

#include <string>

namespace headgate::upstream {

/// Worker thread only. Lives longer than its attempts.
class Upstream {
 public:
  virtual ~Upstream() = default;
  /// Its name in the configuration.
  virtual const std::string& name() const noexcept = 0;

  /// An attempt on an idle connection to the server whose turn it is; null if there is none.
  virtual AttemptPtr take_idle() noexcept = 0;
  /// An attempt on a new connection to the server whose turn it is. If it cannot be reached, tries the next servers.
  /// The failure is that of the last one.
  virtual Task<Result<AttemptPtr, Failure>> connect() = 0;
  /// Gives back an attempt of this upstream after its exchange: the request was sent and the answer was read to its
  /// end. `took` is the time from the request to the answer's head. Keeps the connection for the next exchange if
  /// possible.
  virtual void give_back(AttemptPtr attempt, Duration took) = 0;
  /// The requests of this worker at the upstream; null if its options do not ask for them to be counted. Kept as long
  /// as the upstream, over reloads.
  virtual shed::Concurrency* concurrency() noexcept { return nullptr; }
  /// Closes idle connections and fails connect() calls under way. Connections of attempts are closed when they are
  /// given back.
  virtual void stop() = 0;
};

}  // namespace headgate::upstream
