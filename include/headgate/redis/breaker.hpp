#pragma once
// Decides when not to ask Redis at all. A pure state machine: time is an argument, what happened is told, nothing is
// done.

#include "headgate/core/time.hpp"

#include <chrono>
#include <optional>

namespace headgate::redis {

/// closed: every call goes. open: none goes. half_open: a probe is out, its answer decides.
///
/// A call that timed out opens it at once where nothing at all was heard since it was sent: replies come in order, so a
/// whole deadline of silence means that the next calls would wait a deadline each for nothing. While other replies do
/// come, the server is slow and not hung; then it takes `slow_streak` timeouts in a row. A refusal ("OOM") opens it
/// too.
///
/// Nothing closes it but a probe that was answered within the deadline. A probe is a write, as every decision is: a
/// server that is full, loading, or holds writes back answers a PING and a handshake all the same. Probes are sent in
/// the background, so that Redis is found again though nobody asks; a connection begins with one. Reopening soon after
/// closing doubles the pause between two, from `least` to `most`. One connection each; one thread.
class Breaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { closed, open, half_open };
  /// May this call be sent? wait: a probe is out, and the server has answered so far: its answer comes soon.
  enum class Pass { call, wait, refused };
  enum class Heard { nothing, other_replies };    ///< since the call was sent
  enum class Answer { accepted, late, refused };  ///< to a probe: in time, after the deadline, or "cannot now"

  struct Settings {
    int slow_streak = 5;                              ///< timeouts in a row that open it although replies come
    Duration least = std::chrono::milliseconds(100);  ///< first pause before the next look
    Duration most = std::chrono::milliseconds(500);   ///< and the longest
    Duration steady = std::chrono::seconds(1);        ///< closed this long, the last failure is history
  };

  /// Closed and without a connection: calls may queue for the first connection, within their deadline.
  Breaker();
  explicit Breaker(const Settings& settings);

  State state() const noexcept { return state_; }
  /// Closed, and this connection has carried a write that was answered: it is known to decide.
  bool proven() const noexcept { return state_ == State::closed && proven_; }

  [[nodiscard]] Pass admit() const noexcept;  ///< before each call

  void succeeded() noexcept;  ///< a decision came within its deadline
  void refused(Time now);     ///< the server answered that it cannot now
  void timed_out(Time now, Heard heard);

  void lost(Time now);       ///< the connection is gone or was never made
  void connected(Time now);  ///< it is there; what it is good for, a probe will tell

  /// When a probe should be sent: nothing where none is needed, or one is out.
  std::optional<Time> next_probe() const noexcept;
  void probe_sent();
  void probe_overdue(Time now);  ///< its deadline passed; the answer may still come
  void probe_answered(Time now, Answer answer);

 private:
  enum class Cause { silence, refusal, lost };

  void open(Time now, Cause cause);
  void close(Time now);

  Settings settings_;
  State state_ = State::closed;
  Cause cause_ = Cause::lost;
  bool connected_ = false;
  bool proven_ = false;   ///< this connection has carried a write
  bool probing_ = false;  ///< a probe is unanswered
  int streak_ = 0;
  Duration pause_{0};  ///< of the next opening
  Time closed_at_{};
  Time look_at_{};
};

}  // namespace headgate::redis
