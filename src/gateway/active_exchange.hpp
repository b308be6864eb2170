#pragma once
// What a session does with each of its exchanges: has it answered, and ends it early when the client is gone.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"

namespace headgate::gateway {

/// One stream of exchanges within a session: HTTP/1.1 has one, a multiplexed protocol one for each of its streams, all
/// at work at the same time. Worker thread only; outlives what answer() returned.
class ActiveExchange {
 public:
  /// Why an exchange ends before its answer does.
  enum class Because : std::uint8_t {
    client_gone,  ///< the client reset its connection, or this stream of it
    broken_off,   ///< the worker could wait no longer for its end
  };

  /// Has `handler` answer `x`, whose body and reply are set, to its end. What the handler throws is a bug: it is
  /// logged, answered 500 where nothing was told yet, and then told to the handler by refused().
  Task<void> answer(Handler& handler, Exchange& x);

  /// Whether an exchange is being answered now.
  bool active() const noexcept { return x_ != nullptr; }
  /// Whether the head of its answer has been handed on.
  bool answered() const noexcept { return x_ && x_->reply->started(); }

  /// Nobody will read the answer: a wait for a permit ends. Returns what is at work on it behind us, or null, to be
  /// cancelled once the client's side is closed. Closing and cancelling wake the exchange, which may end it and its
  /// session at once.
  [[nodiscard]] upstream::AttemptPtr end(Because because) noexcept;

 private:
  Exchange* x_ = nullptr;
};

}  // namespace headgate::gateway
