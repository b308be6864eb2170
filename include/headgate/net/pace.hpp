#pragma once
// How fast a peer must be while it is waited for: a body that trickles would hold what it uses for ever. One timer for
// each wait is enough, and nothing is asked or counted as long as nobody waits.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <boost/system/errc.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace headgate::net {

/// The error of a peer that is too slow. One that is silent is timed_out.
inline error_code too_slow() noexcept {
  return boost::system::errc::make_error_code(boost::system::errc::stream_timeout);
}

/// What is demanded of a peer: so many bytes in each second that it is waited for, on average over each `within`.
struct MinPace {
  std::uint64_t rate = 0;  ///< bytes a second; 0: it may be as slow as it likes
  Duration within{0};      ///< above 0 if there is a rate
};

/// Asks what is demanded, at the begin of a wait.
struct PaceRule {
  using Of = MinPace (*)(const void* owner);
  Of of = nullptr;  ///< null: nothing is demanded
  const void* owner = nullptr;
  MinPace operator()() const { return of != nullptr ? of(owner) : MinPace{}; }
};

/// Whether one direction of one connection keeps its pace. Only time in which the peer is waited for counts; when as
/// much of it as MinPace::within has passed, the bytes since the last look are compared. So a peer that was fast before
/// and trickles now is found out within twice that time. One thread.
class PaceWatch {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  /// A wait begins, or goes on. Returns how long it may last until keeps_up() must be asked.
  Duration begin(Steady now, const MinPace& pace) noexcept {
    end(now);
    pace_ = pace;
    if (pace.rate == 0) return Duration::max();
    since_ = now;
    return std::max(pace.within - waited_, Duration(0));
  }
  /// A wait ends. Returns how long it was.
  Duration end(Steady now) noexcept {
    if (since_ == Steady()) return Duration(0);
    const auto time = std::chrono::duration_cast<Duration>(now - since_);
    since_ = {};
    waited_ += time;
    return time;
  }
  /// Whether it is time to ask keeps_up().
  bool due() const noexcept { return pace_.rate != 0 && waited_ >= pace_.within; }
  /// `bytes`: those of this connection so far, in any count that only rises. Call it between two waits.
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
  Steady since_{};  // zero: it does not wait
  Duration waited_{0};
  std::uint64_t bytes_ = 0;  // at the last look
};

}  // namespace headgate::net
