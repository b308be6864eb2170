#pragma once
// The last lines of the access log, so that a policy can be tried on what went through just now.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace headgate::observe {

/// At most kMax bytes of at most kMaxAge. Any thread; no call waits for long.
class RecentLines {
 public:
  static constexpr std::size_t kMax = std::size_t{8} << 20U;
  static constexpr auto kMaxAge = std::chrono::minutes(15);

  /// The next bytes of the log. They may end within a line, whose rest comes next.
  void add(std::string_view bytes, Instant now);
  /// What is kept, from the beginning of a line on.
  std::string text(Instant now);

 private:
  /// Bytes that came within a second or so.
  struct Piece {
    Instant begun;
    std::string bytes;
  };
  void forget(Instant now);

  std::mutex mutex_;
  std::deque<Piece> pieces_;
  std::size_t size_ = 0;
  bool cut_ = false;  ///< the oldest piece may begin within a line
};

}  // namespace headgate::observe
