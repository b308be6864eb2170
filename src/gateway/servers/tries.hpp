#pragma once
// The attempts of one exchange at an upstream with retries: whether another one follows, who pays for it, and the pause
// before it. What is decided is in gateway/servers/retry.

#include "retry.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/upstream/failure.hpp"
#include "headgate/upstream/retry_budget.hpp"

#include <string_view>

namespace headgate::gateway {

/// Worker thread only. Lives in the relay of the exchange.
class Tries {
 public:
  /// The first attempt begins now. `held`: whether the whole body can be sent again.
  Tries(Exchange& x, const Retry& retry, upstream::RetryShare& budget, bool held);

  /// The client has received something of an answer: from here on nothing is sent again.
  void answer_began() noexcept { answer_began_ = true; }

  /// How long to wait for the head of the answer before again() is asked. Only if the body is held.
  Duration patience() const;
  /// Until the timeout of the route is over, which is for all attempts together. Not below 0.
  Duration left() const noexcept;
  bool held() const noexcept { return held_; }

  /// An attempt has failed. Returns whether another one follows, which is then paid for. Asked twice it answers the
  /// same.
  bool again(const upstream::Failure& failure);
  /// The head in x.answer has come. Returns whether another attempt follows instead of it.
  bool again_after_answer();
  /// Whether one of these has said yes since the last pause.
  bool scheduled() const noexcept { return scheduled_; }

  /// Waits before that attempt. Ends early if the client goes away.
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
