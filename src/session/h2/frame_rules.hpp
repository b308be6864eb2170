#pragma once
// Frames that RFC 9113 makes errors, and that nghttp2 leaves out in silence, so that a client would wait for ever.

#include "headgate/core/clock.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::session {

/// How the last streams of one client were closed, for DATA and HEADERS that still come on them (RFC 9113 section 5.1).
/// Worker thread only.
class H2ClosedStreams {
 public:
  enum class By : std::uint8_t {
    end,     ///< both sides have said all
    client,  ///< the client has reset it
    us       ///< it was reset or answered before the client had said all
  };
  enum class Late : std::uint8_t { ignored, stream_error, connection_error };
  /// How long frames that were on their way when we closed their stream are ignored.
  static constexpr auto kOnTheirWay = std::chrono::seconds(5);

  /// `now` counts only if we have closed it.
  void closed(std::int32_t stream, By by, Clock::Steady now) noexcept {
    auto& place = last_[made_++ % last_.size()];
    if (place.by == By::us) forgotten_ = place.at;
    place = {.stream = stream, .by = by, .at = now};
  }

  /// What a frame is that comes on a closed stream. Of a stream that is forgotten, an error of the stream: it does no
  /// harm to a client whose frames were on their way.
  Late late_frame(std::int32_t stream, Clock::Steady now) const noexcept {
    const auto late = [now](Clock::Steady closed) {
      return now - closed < kOnTheirWay ? Late::ignored : Late::stream_error;
    };
    for (const auto& each : last_) {
      if (each.stream != stream) continue;
      if (each.by == By::end) return Late::connection_error;
      return each.by == By::client ? Late::stream_error : late(each.at);
    }
    return late(forgotten_);
  }

 private:
  struct Place {
    std::int32_t stream = 0;
    By by = By::end;
    Clock::Steady at{};
  };
  std::array<Place, 16> last_;
  std::size_t made_ = 0;
  Clock::Steady forgotten_{};  ///< when the last one was closed by us of those that are forgotten
};

/// Finds the heads of frames in what a client sends, wherever reads have cut it. Worker thread only.
class H2FrameHeads {
 public:
  static constexpr std::size_t kHead = 9;

  /// Goes on to the end of the next head, or of `bytes`, and returns how many bytes that were.
  std::size_t go(std::string_view bytes) noexcept {
    const auto skipped = std::min(bytes.size(), left_);
    left_ -= skipped;
    if (at_head()) size_ = 0;
    const auto taken = std::min(bytes.size() - skipped, kHead - size_);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(skipped), taken, head_.begin() + size_);
    size_ += taken;
    if (at_head()) left_ = byte(0) << 16U | byte(1) << 8U | byte(2);
    return skipped + taken;
  }
  /// Whether it stands right behind a head.
  bool at_head() const noexcept { return size_ == kHead; }
  std::uint8_t type() const noexcept { return static_cast<std::uint8_t>(head_[3]); }
  std::int32_t stream() const noexcept {
    return static_cast<std::int32_t>((byte(5) & 0x7fU) << 24U | byte(6) << 16U | byte(7) << 8U | byte(8));
  }

 private:
  std::uint32_t byte(std::size_t i) const noexcept { return static_cast<unsigned char>(head_[i]); }

  std::size_t left_ = 24;  // of what is no head: the preface comes first
  std::size_t size_ = 0;   // of the head
  std::array<char, kHead> head_{};
};

/// What one client sends. Worker thread only.
class H2FrameRules {
 public:
  /// Whether a stream of this number was begun already, or left out.
  bool is_past(std::int32_t stream) const noexcept { return stream % 2 != 0 && stream < next_; }
  /// Of each frame, in order. False: its connection ends with PROTOCOL_ERROR.
  [[nodiscard]] bool allow(std::uint8_t type, std::int32_t stream) noexcept {
    if (type == NGHTTP2_PRIORITY) return stream != 0;  // section 6.3
    return type != NGHTTP2_HEADERS || stream % 2 == 0 || begin_or_go_on(stream);
  }

 private:
  /// Numbers that were left out.
  struct Gap {
    std::int32_t first = 0;
    std::int32_t end = 0;
  };

  /// A number that was left out cannot begin a stream any more (section 5.1.1). One that was used may come again: with
  /// trailers, or on its way when its stream was reset.
  bool begin_or_go_on(std::int32_t stream) noexcept {
    if (stream < next_) {
      for (const auto& gap : gaps_)
        if (stream >= gap.first && stream < gap.end) return false;
      return true;
    }
    if (stream > next_) gaps_[gaps_made_++ % gaps_.size()] = {.first = next_, .end = stream};
    next_ = stream < kLast ? stream + 2 : stream;
    return true;
  }

  static constexpr std::int32_t kLast = 0x7fffffff;
  std::int32_t next_ = 1;
  std::size_t gaps_made_ = 0;
  std::array<Gap, 8> gaps_;  // the last ones: no client leaves out any without need
};

}  // namespace headgate::session
