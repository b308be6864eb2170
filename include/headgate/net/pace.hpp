#pragma once
// The minimum speed of a peer while the gateway waits for it. Without a minimum, a body that trickles in would hold its
// buffers forever. One timer per wait is enough, and nothing is computed while nobody waits. Used by gateway, session
// and stream.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <boost/system/errc.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace headgate::net {

/// Returns the error of a peer that is too slow. The error of a silent peer is timed_out.
inline error_code too_slow() noexcept {
  return boost::system::errc::make_error_code(boost::system::errc::stream_timeout);
}

/// The minimum pace of a peer: the bytes that it must send or accept per second of waiting, on average over each
/// `within` of waiting.
struct MinPace {
  std::uint64_t rate = 0;  ///< bytes per second; 0 for no minimum
  Duration within{0};      ///< period of the average; above 0 if there is a rate
};

/// A function that returns the minimum pace, called when a wait begins.
struct PaceRule {
  using Of = MinPace (*)(const void* owner);
  Of of = nullptr;  ///< the function; null if there is no minimum
  const void* owner = nullptr;
  MinPace operator()() const { return of != nullptr ? of(owner) : MinPace{}; }
};

/// Checks the pace of one direction of a connection. Only time spent waiting for the peer counts. Each time the waits
/// add up to MinPace::within, the bytes since the last check are compared. So a peer that was fast and begins to
/// trickle is found within twice that time. One thread.
class PaceWatch {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  /// Begins or continues a wait. Returns how long the wait may last before keeps_up() must be called.
  Duration begin(Steady now, const MinPace& pace) noexcept {
    end(now);
    pace_ = pace;
    if (pace.rate == 0) return Duration::max();
    since_ = now;
    return std::max(pace.within - waited_, Duration(0));
  }
  /// Ends a wait. Returns the duration of the wait.
  Duration end(Steady now) noexcept {
    if (since_ == Steady()) return Duration(0);
    const auto time = std::chrono::duration_cast<Duration>(now - since_);
    since_ = {};
    waited_ += time;
    return time;
  }
  /// Returns whether it is time to call keeps_up().
  bool due() const noexcept { return pace_.rate != 0 && waited_ >= pace_.within; }
  /// Returns whether the peer keeps the pace. `bytes` is any count of this connection's bytes that only rises. Call
  /// this between two waits.
  bool keeps_up(std::uint64_t bytes) noexcept {
    if (!due()) return true;
    const auto seconds = std::chrono::duration<double>(waited_).count();
    const bool fast = static_cast<double>(bytes - bytes_) >= static_cast<double>(pace_.rate) * seconds;
    bytes_ = bytes;
    waited_ = Duration(0);
    return fast;
  }

 private:
  MinPace pace_;
  Steady since_{};  // zero while there is no wait
  Duration waited_{0};
  std::uint64_t bytes_ = 0;  // number of bytes at the last check
};

}  // namespace headgate::net
