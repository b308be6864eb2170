#pragma once
// The latest lines of the access log, so that a policy can be tried on recent requests.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace headgate::observe {

/// Keeps at most kMax bytes that are at most kMaxAge old. Any thread; no call waits for long.
class RecentLines {
 public:
  static constexpr std::size_t kMax = std::size_t{8} << 20U;
  static constexpr auto kMaxAge = std::chrono::minutes(15);

  /// Adds the next bytes of the log, which may end within a line.
  void add(std::string_view bytes, Instant now);
  /// Returns the kept bytes from the beginning of a line on.
  std::string text(Instant now);

 private:
  /// Bytes that arrived within about one second.
  struct Piece {
    Instant begun;
    std::string bytes;
  };
  void forget(Instant now);

  std::mutex mutex_;
  std::deque<Piece> pieces_;
  std::size_t size_ = 0;
  bool cut_ = false;  ///< true if the oldest piece may begin within a line
};

}  // namespace headgate::observe
