#pragma once
// The request's body on its way to the server, beside the wait for the answer.

#include "headgate/core/scoped_task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/upstream/attempt.hpp"

#include <optional>

namespace headgate::gateway {

/// Worker thread only. join() before it goes.
class RequestBody {
 public:
  RequestBody(Exchange& x, upstream::Attempt& server) : x_(x), server_(server) {}

  void start() { child_.start(run(), "request body"); }
  /// Stops it where it is (the answer is complete, or there is none to come), and waits for its end.
  Task<void> stop();

  bool running() const noexcept { return !child_.done(); }
  /// Whether the last byte of it was handed to the server's connection.
  bool delivered() const noexcept { return delivered_; }
  /// Since when all of it is with the server; meaningful once it runs no more.
  Clock::Steady ended_at() const noexcept { return ended_at_; }
  /// What to tell the client, where the body was the client's fault.
  const std::optional<Problem>& problem() const noexcept { return problem_; }

 private:
  Task<void> run();
  void fail(const Problem& problem);

  Exchange& x_;
  upstream::Attempt& server_;
  ScopedTask child_;
  bool stopping_ = false;
  bool delivered_ = false;
  Clock::Steady ended_at_;
  std::optional<Problem> problem_;
};

}  // namespace headgate::gateway
