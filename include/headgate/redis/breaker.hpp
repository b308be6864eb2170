#pragma once
// Decides when the gateway does not call Redis at all. A pure state machine: time is an argument, the caller reports
// events, and no function does I/O.

#include "headgate/core/time.hpp"

#include <chrono>
#include <optional>

namespace headgate::redis {

/// closed: every call is sent. open: no call is sent. half_open: a probe is on its way, and its answer decides.
///
/// A timeout opens the breaker at once if nothing at all was received since the call was sent. Replies come in order,
/// so after a whole deadline of silence the next calls would wait a deadline each for nothing. If other replies do
/// come, the server is slow but does not hang; then `slow_streak` timeouts in a row open it. An error reply such as
/// "OOM" opens it too.
///
/// Only a probe that is answered within the deadline closes it. A probe is a write, as every decision is: a server that
/// is full, loading or holds back writes still answers a PING and a handshake. Probes are sent in the background, so
/// that Redis is found again without any request. Each connection begins with one. If the breaker opens again soon
/// after it closed, the pause between two probes doubles, from `least` to `most`. One breaker for each connection; one
/// thread.
class Breaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { closed, open, half_open };
  /// May this call be sent? wait: a probe is on its way and the server has answered so far, so its answer comes soon.
  enum class Pass { call, wait, refused };
  enum class Heard { nothing, other_replies };    ///< since the call was sent
  enum class Answer { accepted, late, refused };  ///< to a probe: in time, after the deadline, or "cannot now"

  struct Settings {
    int slow_streak = 5;                              ///< timeouts in a row that open it although other replies come
    Duration least = std::chrono::milliseconds(100);  ///< first pause before the next probe
    Duration most = std::chrono::milliseconds(500);   ///< longest pause
    Duration steady = std::chrono::seconds(1);        ///< closed this long, the breaker forgets the last failure
  };

  /// Closed and without a connection: calls may wait for the first connection, within their deadline.
  Breaker();
  explicit Breaker(const Settings& settings);

  State state() const noexcept { return state_; }
  /// Closed, and this connection has answered a write, so it can decide.
  bool proven() const noexcept { return state_ == State::closed && proven_; }

  [[nodiscard]] Pass admit() const noexcept;  ///< before each call

  void succeeded() noexcept;  ///< a decision came within its deadline
  void refused(Time now);     ///< the server answered with an error that says it cannot decide now
  void timed_out(Time now, Heard heard);

  void lost(Time now);       ///< the connection broke or failed to open
  void connected(Time now);  ///< the connection is open; a probe shows whether it can decide

  /// When to send the next probe; nothing if none is needed or one is on its way.
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
  bool proven_ = false;   ///< this connection has answered a write
  bool probing_ = false;  ///< a probe is unanswered
  int streak_ = 0;
  Duration pause_{0};  ///< before the next probe
  Time closed_at_{};
  Time look_at_{};
};

}  // namespace headgate::redis
