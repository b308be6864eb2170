#pragma once
// One exchange of a session while it is answered: ends it early if the client is gone, and answers for a handler that
// threw.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"

#include <exception>

namespace headgate::gateway {

/// HTTP/1.1 needs one for each session, and uses it for one exchange after another. A protocol with streams needs one
/// for each stream; all of them may be active at once. Worker thread only.
class ActiveExchange {
 public:
  /// Why an exchange ends before its answer is complete.
  enum class Because : std::uint8_t {
    client_gone,  ///< the client reset the connection or the stream
    broken_off,   ///< the drain timeout is over
    operator_     ///< an operator ended it
  };

  /// Call it before handle(), and end() after it. `x.reply` must be set.
  void begin(Exchange& x) noexcept { x_ = &x; }
  void end() noexcept { x_ = nullptr; }

  /// The exchange; null outside of begin() and end().
  const Exchange* current() const noexcept { return x_; }
  /// Whether the answer was started.
  bool answered() const noexcept { return x_ && x_->reply->started(); }

  /// Whether it ends when its client closes its sending side: as its route says, and always while it waits here, and
  /// not for a server: for a permit, a place or the next retry. Never once it is a tunnel, whose directions end one by
  /// one.
  bool ends_with_client() const noexcept;

  /// How fast bodies must flow, in bytes a second; 0: as they like.
  std::uint64_t min_rate() const noexcept;

  /// The attempt of an exchange that ends early, and the configuration whose servers it counts for: both outlive the
  /// exchange as long as this does.
  class Server {
   public:
    Server() = default;
    Server(SnapshotPtr snapshot, upstream::AttemptPtr attempt) noexcept
        : snapshot_(std::move(snapshot)), attempt_(std::move(attempt)) {}
    /// Does nothing if there is no attempt.
    void cancel() const noexcept {
      if (attempt_) attempt_->cancel();
    }

   private:
    SnapshotPtr snapshot_;
    upstream::AttemptPtr attempt_;
  };
  /// Ends a delay, and marks the exchange so that its answer is not sent. Close the client's side first, then cancel
  /// what it returns. Both wake the exchange; it may end, and delete its session, inside these calls.
  [[nodiscard]] Server end_early(Because because) noexcept;

  /// The connection is closed after the answer.
  void last_of_connection() noexcept;

 private:
  Exchange* x_ = nullptr;
};

/// After handle() threw, which is a bug: it is logged, the client gets 500 if no answer was started, and then refused()
/// of the handler is called.
Task<void> answer_bug(Handler& handler, Exchange& x, std::exception_ptr thrown);

}  // namespace headgate::gateway
