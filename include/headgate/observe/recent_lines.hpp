#pragma once
// The last lines of the access log, so that a policy can be tried on what went through just now.

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace headgate::observe {

/// At most kMost bytes of at most kOldest. Any thread; no call waits for long.
class RecentLines {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kMost = std::size_t{8} << 20U;
  static constexpr auto kOldest = std::chrono::minutes(15);

  /// The next bytes of the log. They may end within a line, whose rest comes next.
  void add(std::string_view bytes, Steady now);
  /// What is kept, from the beginning of a line on.
  std::string text(Steady now);

 private:
  /// Bytes that came within a second or so.
  struct Piece {
    Steady begun;
    std::string bytes;
  };
  void forget(Steady now);

  std::mutex mutex_;
  std::deque<Piece> pieces_;
  std::size_t size_ = 0;
  bool cut_ = false;  ///< the oldest piece may begin within a line
};

}  // namespace headgate::observe
