#pragma once
// Decides when not to ask Redis at all. A pure state machine: time is an argument, what happened is told, nothing is
// done.

#include "headgate/core/time.hpp"

#include <chrono>
#include <optional>

namespace headgate::redis {

/// closed: every call goes. open: none goes. half_open: one probe or one trial call is out, its answer decides.
///
/// A call that timed out opens it at once where nothing at all was heard since it was sent: replies come in order, so a
/// whole deadline of silence means that the next calls would wait a deadline each for nothing. While other replies do
/// come, the server is slow and not hung; then it takes `slow_streak` timeouts in a row. After silence a PING answered
/// within the deadline closes it; after a refusal ("OOM", which a PING would not show) one call is let through and its
/// answer decides. Reopening soon after closing doubles the pause, from `least` to `most`. One connection each; one
/// thread.
class Breaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { closed, open, half_open };
  enum class Pass { refused, call, trial };     ///< may this call be sent, and is it the one that decides?
  enum class Heard { nothing, other_replies };  ///< since the call was sent
  enum class Answer { prompt, late };           ///< within the deadline or not

  struct Settings {
    int slow_streak = 5;                              ///< timeouts in a row that open it although replies come
    Duration least = std::chrono::milliseconds(100);  ///< first pause before the next look
    Duration most = std::chrono::seconds(1);          ///< and the longest
    Duration steady = std::chrono::seconds(1);        ///< closed this long, the last failure is history
  };

  /// Closed and without a connection: calls may queue for the first connection, within their deadline.
  Breaker();
  explicit Breaker(const Settings& settings);

  State state() const noexcept { return state_; }

  /// Asked once before each call. After Pass::trial exactly one of succeeded, refused, timed_out, released or lost must
  /// follow.
  [[nodiscard]] Pass admit(Time now);

  void succeeded(Time now, Pass pass);  ///< a decision came within its deadline
  void refused(Time now, Pass pass);    ///< the server answered that it cannot now
  void timed_out(Time now, Pass pass, Heard heard);
  void released(Time now, Pass pass);  ///< nobody waits for this call any more, or its answer tells nothing

  void lost(Time now);                         ///< the connection is gone or was never made
  void connected(Time now, Answer handshake);  ///< it is there, and how fast the server answered to the handshake

  /// When a PING should be sent: nothing where it is not for a PING to say.
  std::optional<Time> next_probe() const noexcept;
  void probe_sent();
  void probe_overdue();  ///< its deadline passed; the answer may still come
  void probe_answered(Time now, Answer answer);

 private:
  enum class Cause { silence, refusal, lost };

  void open(Time now, Cause cause);
  void close(Time now);

  Settings settings_;
  State state_ = State::closed;
  Cause cause_ = Cause::lost;
  bool connected_ = false;
  bool probing_ = false;  ///< a PING is unanswered
  int streak_ = 0;
  Duration pause_{0};  ///< of the next opening
  Time closed_at_{};
  Time look_at_{};
};

}  // namespace headgate::redis
