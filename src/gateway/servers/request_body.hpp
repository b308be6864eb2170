#pragma once
// Sends the request's body to the server while the relay waits for the answer.

#include "headgate/core/scoped_task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/upstream/attempt.hpp"

#include <optional>

namespace headgate::gateway {

class Messages;

/// The transfer of one body. Worker thread only. If start() was called, await stop() before this object is destroyed.
class RequestBody {
 public:
  /// `messages` has the permits that the call's messages need; null if they need none. It lives as long as the body.
  RequestBody(Exchange& x, upstream::Attempt& server, Messages* messages)
      : x_(x), server_(server), messages_(messages) {}

  /// Begins to send.
  void start() { child_.start(run(), "request body"); }
  /// Ends the task, because the answer is complete or none will come, and waits for its end.
  Task<void> stop();

  bool running() const noexcept { return !child_.done(); }
  /// Returns whether all bytes were written to the server's connection.
  bool delivered() const noexcept { return delivered_; }
  /// Returns the time at which the task ended; valid when the task no longer runs.
  Clock::Steady ended_at() const noexcept { return ended_at_; }
  /// Returns the problem, if the body could not be read or sent in time.
  const std::optional<Problem>& problem() const noexcept { return problem_; }

 private:
  Task<void> run();
  void fail(const Problem& problem);

  Exchange& x_;
  upstream::Attempt& server_;
  Messages* messages_;
  ScopedTask child_;
  bool stopping_ = false;
  bool delivered_ = false;
  Clock::Steady ended_at_;
  std::optional<Problem> problem_;
};

}  // namespace headgate::gateway
