#pragma once
// A named group of servers, as the path sees it: somebody to attempt an exchange with.

#include "headgate/upstream/attempt.hpp"

#include <string>

namespace headgate::upstream {

/// Worker thread only.
class Upstream {
 public:
  virtual ~Upstream() = default;
  virtual const std::string& name() const noexcept = 0;

  /// With the server whose turn it is, on a connection that is kept to it; null where none is.
  virtual AttemptPtr take_idle() noexcept = 0;
  /// With the server whose turn it is, on a new connection; the next ones are tried where it cannot be connected to.
  virtual Task<Result<AttemptPtr, Failure>> connect() = 0;
  /// Of this upstream's, and over: its request was sent and its answer read, whose head came `took` after it. What
  /// carried it is kept for the next where it can be.
  virtual void give_back(AttemptPtr attempt, Duration took) = 0;
  /// Closes what is kept and fails what is under way; what is lent out is closed when given back.
  virtual void stop() = 0;
};

}  // namespace headgate::upstream
