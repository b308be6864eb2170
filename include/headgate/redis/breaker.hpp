#pragma once
// The circuit breaker of a Redis connection: decides when the gateway does not call Redis at all. A pure state machine:
// time is an argument, the caller reports events, and no function does I/O. Used by node_client.

#include "headgate/core/time.hpp"

#include <chrono>
#include <optional>

namespace headgate::redis {

/// The breaker of one connection; one thread. In state `closed` every call is sent, and in state `open` none. In state
/// `half_open` a probe is under way, and its answer decides.
///
/// A timeout opens the breaker at once if nothing at all was received since the call was sent. Replies come in order,
/// so after a whole deadline of silence, each of the next calls would wait for a deadline in vain. If other replies do
/// arrive, the server is slow but does not hang; then only `slow_streak` consecutive timeouts open the breaker. An
/// error reply such as "OOM" opens the breaker too.
///
/// Only a probe that is answered within the deadline closes the breaker. A probe is a write, like every decision: a
/// server that is full, loading or holds back writes still answers a PING and a handshake. Probes are sent in the
/// background, so that Redis is found again without any request. Each connection starts with a probe. If the breaker
/// opens again soon after it closed, the pause between two probes doubles, from `least` to `most`.
class Breaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { closed, open, half_open };
  /// Whether a call may be sent. `wait` means that a probe is under way and the server has answered so far, so its
  /// answer comes soon.
  enum class Pass { call, wait, refused };
  enum class Replies { none, others };            ///< the replies that arrived since the call was sent
  enum class Answer { accepted, late, refused };  ///< the answer to a probe: in time, after the deadline, or an error

  struct Settings {
    int slow_streak = 5;  ///< number of consecutive timeouts that open the breaker although other replies arrive
    Duration least = std::chrono::milliseconds(100);  ///< first pause before the next probe
    Duration most = std::chrono::milliseconds(500);   ///< longest pause
    Duration steady = std::chrono::seconds(1);  ///< time in state closed after which the last failure is forgotten
  };

  /// Starts closed and without a connection: calls may wait for the first connection, within their deadline.
  Breaker();
  explicit Breaker(const Settings& settings);

  State state() const noexcept { return state_; }
  /// Returns whether the breaker is closed and this connection has answered a write, so that it can decide.
  bool proven() const noexcept { return state_ == State::closed && proven_; }

  [[nodiscard]] Pass admit() const noexcept;  ///< Returns whether a call may be sent; call this before each call.

  void succeeded() noexcept;  ///< Records a decision that arrived within its deadline.
  void refused(Time now);     ///< Records an error reply that means that the server cannot decide now.
  void timed_out(Time now, Replies heard);

  void lost(Time now);       ///< Records that the connection broke or failed to open.
  void connected(Time now);  ///< Records that the connection is open; a probe then shows whether the server can decide.

  /// Returns when to send the next probe; empty if none is needed or one is under way.
  std::optional<Time> next_probe() const noexcept;
  void probe_sent();
  void probe_overdue(Time now);  ///< Records that the deadline of the probe has passed; its answer may still come.
  void probe_answered(Time now, Answer answer);

 private:
  enum class Cause { silence, refusal, lost };

  void open(Time now, Cause cause);
  void close(Time now);

  Settings settings_;
  State state_ = State::closed;
  Cause cause_ = Cause::lost;
  bool connected_ = false;
  bool proven_ = false;   ///< true if this connection has answered a write
  bool probing_ = false;  ///< true if a probe is unanswered
  int streak_ = 0;
  Duration pause_{0};  ///< pause before the next probe
  Time closed_at_{};
  Time look_at_{};
};

}  // namespace headgate::redis
