#pragma once
// Limits, per HTTP/2 connection, for frames and resets that cost a client nothing but cost the gateway work.

#include "headgate/core/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

namespace headgate::session {

/// A token bucket with at most `most` tokens, of which `per_second` come back each second. Each call passes the current
/// time.
class AbuseBucket {
 public:
  AbuseBucket(double most, double per_second) noexcept : most_(most), per_second_(per_second), left_(most) {}
  /// Takes one token; false if the bucket is empty.
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

/// Why an HTTP/2 connection was ended.
enum class H2Abuse : std::uint8_t { none, resets, glitches, queue, head, count };

constexpr std::string_view to_text(H2Abuse why) noexcept {
  switch (why) {
    case H2Abuse::resets:
      return "the client begins requests and has them reset faster than they can be answered";
    case H2Abuse::glitches:
      return "the client sends too many frames that carry no data";
    case H2Abuse::queue:
      return "the client causes more answers than it reads";
    case H2Abuse::head:
      return "the client sent a head that is far larger than the maximum";
    case H2Abuse::none:
    case H2Abuse::count:
      break;
  }
  return "";
}

/// The abuse counters of one connection.
class H2Limits {
 public:
  /// Counts a stream that was reset by either side before its exchange had ended.
  void reset(Clock::Steady now) noexcept {
    if (!resets_.take(now)) found(H2Abuse::resets);
  }
  /// Counts a frame that causes work but has no data.
  void glitch(Clock::Steady now) noexcept {
    ++fresh_;
    if (!glitches_.take(now)) found(H2Abuse::glitches);
  }
  /// Counts a WINDOW_UPDATE. A client that reads much also sends many of them, so only those beyond ten for each DATA
  /// frame count.
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
  /// Counts a SETTINGS frame. The first one is free, because every connection sends it.
  void settings(Clock::Steady now) noexcept {
    if (std::exchange(settled_, true)) glitch(now);
  }
  /// Counts a fault of the client other than an empty frame: a malformed head or body, a stream that is reset as soon
  /// as it has begun, or a stream beyond the maximum number.
  void fault() noexcept { ++fresh_; }
  /// Takes the number of glitches and faults that were not reported yet. Returns 0 if it is too early to report them,
  /// that is, if there are fewer than kTold, the last report is less than a second ago, and `all` is false.
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
  /// number of glitches that are reported for a connection that is ended for abuse
  static constexpr std::uint32_t kOfAnEnd = 100;

  AbuseBucket resets_{200, 20};
  AbuseBucket glitches_{1'000, 100};
  std::uint32_t free_updates_ = 100;
  std::uint32_t fresh_ = 0;
  Clock::Steady told_{};
  bool settled_ = false;
  H2Abuse why_ = H2Abuse::none;
};

}  // namespace headgate::session
