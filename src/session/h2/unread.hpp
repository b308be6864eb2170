#pragma once
// Streams whose answers were complete before the client had sent its whole body. What still comes of it is thrown away,
// and opens no window.

#include "headgate/core/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace headgate::session {

/// They count among the concurrent streams, so there are never more of them. Worker thread only.
class H2Unread {
 public:
  /// For the client to see the answer and end its body by itself; then the stream is reset.
  static constexpr Duration kToNotice = std::chrono::seconds(1);

  void add(std::int32_t id, headgate::Clock::Steady now) { streams_.push_back({id, now + kToNotice}); }
  /// The stream has ended.
  void remove(std::int32_t id) noexcept {
    std::erase_if(streams_, [id](const Unread& stream) { return stream.id == id; });
  }
  /// The next one whose time is over.
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
