#pragma once
// The attempts of one exchange at an upstream with retries. Decides whether another attempt follows, takes it from the
// budget, and waits before it. gateway/servers/retry has the rules.

#include "retry.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/upstream/failure.hpp"
#include "headgate/upstream/retry_budget.hpp"

#include <string_view>

namespace headgate::gateway {

/// The attempts of one exchange. Worker thread only. Lives in the relay of the exchange.
class Tries {
 public:
  /// Begins the first attempt. `held` says whether the whole body can be sent again.
  Tries(Exchange& x, const Retry& retry, upstream::RetryShare& budget, bool held);

  /// Records that the client has received a part of an answer, so that no further attempt follows.
  void answer_began() noexcept { answer_began_ = true; }

  /// Returns how long to wait for the head of the answer before again() is called. Call it only if the body is held.
  Duration patience() const;
  /// Returns the time until the timeout of the route, which is for all attempts together. Not below 0.
  Duration left() const noexcept;
  bool held() const noexcept { return held_; }

  /// Returns whether another attempt follows the failed one, and takes that attempt from the budget. A second call
  /// returns the same and takes nothing.
  bool again(const upstream::Failure& failure);
  /// Returns whether another attempt follows the answer whose head is in x.answer.
  bool again_after_answer();
  /// Returns whether again() or again_after_answer() has returned true since the last pause.
  bool scheduled() const noexcept { return scheduled_; }

  /// Waits before the next attempt. Ends early if the client leaves.
  Task<void> pause();

 private:
  Attempted so_far() const;
  bool again_in_grpc();
  bool schedule(RetryReason reason, std::string_view word, std::optional<Duration> asked);

  Exchange& x_;
  const Retry& retry_;
  upstream::RetryShare& budget_;
  Clock::Steady begun_;
  unsigned attempts_ = 1;
  bool idempotent_;
  bool held_;
  bool answer_began_ = false;
  bool scheduled_ = false;
  Duration pause_{0};
};

}  // namespace headgate::gateway
