#pragma once
// One exchange of a session while it is answered: calls the handler, and ends the exchange early if the client is gone.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"

namespace headgate::gateway {

/// HTTP/1.1 needs one for each session, and uses it for one exchange after another. A protocol with streams needs one
/// for each stream; all of them may be active at once. Worker thread only. Must outlive the task that answer() returns.
class ActiveExchange {
 public:
  /// Why an exchange ends before its answer is complete.
  enum class Because : std::uint8_t {
    client_gone,  ///< the client reset the connection or the stream
    broken_off,   ///< the drain timeout is over
  };

  /// Calls handle() and waits for its end. `x.body` and `x.reply` must be set. An exception is a bug: it is logged, the
  /// client gets 500 if no answer was started, and then refused() of the handler is called.
  Task<void> answer(Handler& handler, Exchange& x);

  /// Whether the answer was started.
  bool answered() const noexcept { return x_ && x_->reply->started(); }

  /// Ends a delay, and marks the exchange so that its answer is not sent. Returns the attempt with a server, or null.
  /// Close the client's side first, then cancel the attempt. Both wake the exchange; it may end, and delete its
  /// session, inside these calls.
  [[nodiscard]] upstream::AttemptPtr end(Because because) noexcept;

 private:
  Exchange* x_ = nullptr;
};

}  // namespace headgate::gateway
