#pragma once
// Frames that RFC 9113 makes errors of the connection, and that nghttp2 leaves out in silence, so that a client would
// wait for ever.

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace headgate::session {

/// What one client sends. Worker thread only.
class H2FrameRules {
 public:
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
