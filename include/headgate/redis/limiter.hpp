#pragma once
// Decisions in Redis: one script call for all rules of a request, guarded by a deadline and a breaker.

#include <boost/asio/io_context.hpp>
#include <memory>
#include <span>

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/options.hpp"

namespace headgate::redis {

/// What is known of Redis now; also what the breaker's state means to a reader.
enum class Health { up, trying, down };

/// One per worker: its own connection, pipelined; worker thread only. Lives until stop() was called and its tasks have ended.
class Limiter {
 public:
  /// Connects in the background at once; `options` is copied. Never blocks, resolves names asynchronously.
  Limiter(boost::asio::io_context& loop, const Options& options);
  ~Limiter();
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  /// Asks all rules in one round trip and takes from all or none; true when all agreed. An error means "unavailable": the deadline
  /// passed, the breaker is open, too many calls are in flight, or Redis answered that it cannot. The caller's policy takes over.
  /// `asks` and `verdicts` must outlive the await. Never waits longer than options.timeout.
  Task<Result<bool>> decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts);

  Health health() const noexcept;

  /// Closes the connection and fails what is waiting; no task of this object runs after the loop has run dry.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
