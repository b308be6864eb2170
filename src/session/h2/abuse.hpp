#pragma once
// How much of what costs a client nothing, and us something, one connection may do.

#include "headgate/core/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

namespace headgate::session {

/// So many at once, and so many more in each second. The caller gives the time.
class AbuseBucket {
 public:
  AbuseBucket(double most, double per_second) noexcept : most_(most), per_second_(per_second), left_(most) {}
  /// False: it is empty.
  [[nodiscard]] bool take(Clock::Steady now) noexcept {
    const auto passed = std::chrono::duration<double>(now - last_).count();
    if (last_ != Clock::Steady()) left_ = std::min(most_, left_ + std::max(passed, 0.0) * per_second_);
    last_ = now;
    left_ -= 1;
    return left_ >= 0;
  }

 private:
  double most_, per_second_, left_;
  Clock::Steady last_{};
};

/// Why a connection of HTTP/2 was ended.
enum class H2Abuse : std::uint8_t { none, resets, glitches, queue, head, count };

constexpr std::string_view to_text(H2Abuse why) noexcept {
  switch (why) {
    case H2Abuse::resets:
      return "it begins requests and has them reset, faster than they could be answered";
    case H2Abuse::glitches:
      return "it sends too many frames that say nothing";
    case H2Abuse::queue:
      return "it causes more answers than it reads";
    case H2Abuse::head:
      return "it sends a head that is far larger than any may be";
    case H2Abuse::none:
    case H2Abuse::count:
      break;
  }
  return "";
}

/// The counters of one connection.
class H2Limits {
 public:
  /// A stream that was reset before its exchange had ended, by whom ever.
  void reset(Clock::Steady now) noexcept {
    if (!resets_.take(now)) found(H2Abuse::resets);
  }
  /// A frame that asks for work and brings nothing.
  void glitch(Clock::Steady now) noexcept {
    ++fresh_;
    if (!glitches_.take(now)) found(H2Abuse::glitches);
  }
  /// A client that reads much gives back much: only what is beyond ten for each frame of data counts.
  void window_update(Clock::Steady now) noexcept {
    if (free_updates_ > 0)
      --free_updates_;
    else
      glitch(now);
  }
  void data_sent() noexcept { free_updates_ = std::min(free_updates_ + kUpdatesPerData, kMaxFreeUpdates); }
  void queued(std::size_t frames) noexcept {
    if (frames > kMaxQueued) found(H2Abuse::queue);
  }
  void found(H2Abuse why) noexcept {
    if (why_ != H2Abuse::none) return;
    why_ = why;
    fresh_ += kOfAnEnd;
  }
  H2Abuse why() const noexcept { return why_; }
  /// Every connection begins with some.
  void settings(Clock::Steady now) noexcept {
    if (std::exchange(settled_, true)) glitch(now);
  }
  /// The client's fault beside frames that say nothing: a head or body that breaks the protocol, a stream that it
  /// resets as soon as it has begun it, or begins while too many are open.
  void fault() noexcept { ++fresh_; }
  /// How many glitches and faults have come that were not told yet, if they are to be told now: together, and at least
  /// once a second. `all`: in any case.
  std::uint32_t take_fresh(Clock::Steady now, bool all) noexcept {
    if (fresh_ == 0 || (!all && fresh_ < kTold && now - told_ < std::chrono::seconds(1))) return 0;
    told_ = now;
    return std::exchange(fresh_, 0);
  }

 private:
  static constexpr std::uint32_t kUpdatesPerData = 10;
  static constexpr std::uint32_t kMaxFreeUpdates = 10'000;
  static constexpr std::size_t kMaxQueued = 1'000;
  static constexpr std::uint32_t kTold = 16;
  static constexpr std::uint32_t kOfAnEnd = 100;  ///< a connection that is ended for abuse counts as so many glitches

  AbuseBucket resets_{200, 20};
  AbuseBucket glitches_{1'000, 100};
  std::uint32_t free_updates_ = 100;
  std::uint32_t fresh_ = 0;
  Clock::Steady told_{};
  bool settled_ = false;
  H2Abuse why_ = H2Abuse::none;
};

}  // namespace headgate::session
