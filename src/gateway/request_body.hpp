#pragma once
// The request's body on its way to the server, beside the wait for the answer.

#include "headgate/core/child.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/upstream/connection.hpp"

#include <chrono>
#include <optional>

namespace headgate::gateway {

/// Worker thread only. join() before it goes.
class RequestBody {
 public:
  RequestBody(Exchange& x, upstream::Connection& server, Duration write_timeout)
      : x_(x), server_(server), write_timeout_(write_timeout) {}

  void start() { child_.start(run(), "request body"); }
  /// Stops it where it is (the answer is complete, or there is none to come), and waits for its end.
  Task<void> stop();

  bool running() const noexcept { return !child_.done(); }
  /// Whether the last byte of it was handed to the server's connection.
  bool delivered() const noexcept { return delivered_; }
  /// Since when all of it is with the server; meaningful once it runs no more.
  std::chrono::steady_clock::time_point ended_at() const noexcept { return ended_at_; }
  /// What to tell the client, where the body was the client's fault.
  const std::optional<Problem>& problem() const noexcept { return problem_; }

 private:
  Task<void> run();
  void fail(const Problem& problem);

  Exchange& x_;
  upstream::Connection& server_;
  Duration write_timeout_;
  Child child_;
  bool stopping_ = false;
  bool delivered_ = false;
  std::chrono::steady_clock::time_point ended_at_;
  std::optional<Problem> problem_;
};

/// What a failed read of a request's body means to the client.
Problem problem_of_body(const error_code& cause);

}  // namespace headgate::gateway
