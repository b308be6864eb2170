#pragma once
// Rules for frames that are errors by RFC 9113 but that nghttp2 silently ignores. Without these rules, a client would
// wait forever. H2Session applies them.

#include "headgate/core/clock.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::session {

/// Remembers how the last streams of one client were closed, so that DATA and HEADERS that still arrive on them can be
/// judged (RFC 9113 section 5.1). Worker thread only.
class H2ClosedStreams {
 public:
  enum class By : std::uint8_t {
    end,     ///< both sides have ended the stream
    client,  ///< the client has reset it
    us       ///< the gateway has reset or answered it before the client had ended it
  };
  enum class Late : std::uint8_t { ignored, stream_error, connection_error };
  /// Time for which late frames are ignored after the gateway has closed their stream, because they may have been in
  /// flight.
  static constexpr auto kOnTheirWay = std::chrono::seconds(5);

  /// Remembers how a stream was closed. `now` matters only if the gateway closed it.
  void closed(std::int32_t stream, By by, Clock::Steady now) noexcept {
    auto& place = last_[made_++ % last_.size()];
    if (place.by == By::us) forgotten_ = place.at;
    place = {.stream = stream, .by = by, .at = now};
  }

  /// Judges a frame that arrives on a closed stream. If the stream is no longer remembered, the frame is at most a
  /// stream error, which does no harm to a client whose frames were in flight.
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
  Clock::Steady forgotten_{};  ///< when the gateway closed the last stream that is no longer remembered
};

/// Finds the frame heads in a client's bytes, even if a head is spread over several reads. Worker thread only.
class H2FrameHeads {
 public:
  static constexpr std::size_t kHead = 9;

  /// Moves to the end of the next head or to the end of `bytes`. Returns the number of bytes by which the position has
  /// moved.
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
  /// Returns whether the position is directly after a frame head.
  bool at_head() const noexcept { return size_ == kHead; }
  std::uint8_t type() const noexcept { return static_cast<std::uint8_t>(head_[3]); }
  std::int32_t stream() const noexcept {
    return static_cast<std::int32_t>((byte(5) & 0x7fU) << 24U | byte(6) << 16U | byte(7) << 8U | byte(8));
  }

 private:
  std::uint32_t byte(std::size_t i) const noexcept { return static_cast<unsigned char>(head_[i]); }

  std::size_t left_ = 24;  // bytes to skip before the next head; at first, the preface
  std::size_t size_ = 0;   // bytes of the head so far
  std::array<char, kHead> head_{};
};

/// The order of a client's frames and stream numbers. Worker thread only.
class H2FrameRules {
 public:
  /// Returns whether a stream with this number was begun or skipped already.
  bool is_past(std::int32_t stream) const noexcept { return stream % 2 != 0 && stream < next_; }
  /// Checks each frame in order. If it returns false, the connection ends with PROTOCOL_ERROR.
  [[nodiscard]] bool allow(std::uint8_t type, std::int32_t stream) noexcept {
    if (type == NGHTTP2_PRIORITY) return stream != 0;  // section 6.3
    return type != NGHTTP2_HEADERS || stream % 2 == 0 || begin_or_go_on(stream);
  }

 private:
  /// A range of stream numbers that the client skipped.
  struct Gap {
    std::int32_t first = 0;
    std::int32_t end = 0;
  };

  /// Checks the stream number of a HEADERS frame. A skipped number can no longer begin a stream (section 5.1.1). A
  /// number that was used may occur again: in trailers, or in a frame that was in flight when its stream was reset.
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
  std::array<Gap, 8> gaps_;  // the latest gaps; real clients rarely skip numbers
};

}  // namespace headgate::session
