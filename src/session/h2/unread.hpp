#pragma once
// Streams that were answered completely before the client had sent its whole body. The rest of the body is discarded,
// and the window is not reopened for it.

#include "headgate/core/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace headgate::session {

/// The unread streams of a connection. They count as concurrent streams, so their number is bounded. Worker thread
/// only.
class H2Unread {
 public:
  /// Time for the client to notice the answer and end its body, before the stream is reset.
  static constexpr Duration kToNotice = std::chrono::seconds(1);

  void add(std::int32_t id, headgate::Clock::Steady now) { streams_.push_back({id, now + kToNotice}); }
  /// Removes a stream that has ended.
  void remove(std::int32_t id) noexcept {
    std::erase_if(streams_, [id](const Unread& stream) { return stream.id == id; });
  }
  /// Takes the next stream whose time has expired.
  std::optional<std::int32_t> take_due(headgate::Clock::Steady now) {
    if (streams_.empty() || streams_.front().due > now) return {};
    const auto id = streams_.front().id;
    streams_.erase(streams_.begin());
    return id;
  }
  std::optional<headgate::Clock::Steady> next_due() const noexcept {
    if (streams_.empty()) return {};
    return streams_.front().due;
  }

 private:
  struct Unread {
    std::int32_t id;
    headgate::Clock::Steady due;
  };
  std::vector<Unread> streams_;
};

}  // namespace headgate::session
