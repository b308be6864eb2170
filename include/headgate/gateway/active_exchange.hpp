#pragma once
// The exchange that a session or a stream is answering. ActiveExchange ends the exchange early if the client is gone;
// answer_bug() answers if the handler throws.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"

#include <exception>

namespace headgate::gateway {

/// An HTTP/1.1 session reuses one object for all its exchanges. A protocol with streams has one object for each stream,
/// and several may be active at once. Worker thread only.
class ActiveExchange {
 public:
  /// Why an exchange ends before its answer is complete.
  enum class Because : std::uint8_t {
    client_gone,  ///< the client reset the connection or the stream
    broken_off,   ///< the drain timeout has passed
    operator_     ///< an operator ended it
  };

  /// Begins an exchange. Call begin() before handle(), and end() after it. `x.reply` must be set.
  void begin(Exchange& x) noexcept { x_ = &x; }
  void end() noexcept { x_ = nullptr; }

  /// Returns the exchange; null before begin() and after end().
  const Exchange* current() const noexcept { return x_; }
  /// Returns whether the answer was started.
  bool answered() const noexcept { return x_ && x_->reply->started(); }

  /// Returns whether the exchange ends when its client closes the sending side. While a server works, the route's
  /// ClientClose decides. While the request waits in the gateway (for a permit, a place or the next retry), the result
  /// is always true. For a tunnel the result is always false, because the directions of a tunnel end separately.
  bool ends_with_client() const noexcept;

  /// Returns the lowest rate at which bodies must flow, in bytes per second; 0 if there is no bound.
  std::uint64_t min_rate() const noexcept;

  /// The attempt of an exchange that ends early, and the configuration whose counters include the attempt. Both stay
  /// alive after the exchange.
  class Server {
   public:
    Server() = default;
    Server(SnapshotPtr snapshot, upstream::AttemptPtr attempt) noexcept
        : snapshot_(std::move(snapshot)), attempt_(std::move(attempt)) {}
    /// Cancels the attempt; does nothing if there is none.
    void cancel() const noexcept {
      if (attempt_) attempt_->cancel();
    }

   private:
    SnapshotPtr snapshot_;
    upstream::AttemptPtr attempt_;
  };
  /// Marks the exchange as ended, so that its answer is not sent, and ends its delay. The caller then does two things,
  /// in this order: it closes the client's side, and cancels the returned attempt. Closing and cancelling each wake the
  /// exchange, which may end and delete its session before the call returns.
  [[nodiscard]] Server end_early(Because because) noexcept;

  /// Marks the answer as the last one of its connection.
  void last_of_connection() noexcept;

 private:
  Exchange* x_ = nullptr;
};

/// Takes a place among the answers that this worker reads to their end without a client. Returns whether the exchange
/// has one, which it keeps until it ends; false if it does not want one.
bool take_drain_place(Exchange& x) noexcept;

/// Answers after handle() threw, which is a bug. Logs the exception, sends 500 if no answer was started, and calls
/// refused() of the handler.
Task<void> answer_bug(Handler& handler, Exchange& x, std::exception_ptr thrown);

}  // namespace headgate::gateway
