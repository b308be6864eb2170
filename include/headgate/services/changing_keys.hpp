#pragma once
// Notices a limit whose key changes with each request: it then rejects nobody, whatever its size. Used by TopBoard.

#include "headgate/core/time.hpp"
#include "headgate/observe/limit_top.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace headgate::services {

/// Looks at the sampled keys of allowed requests. If keys came twice on average, a thousand requests would show eight
/// keys again; here at most one in fifty may be. One thread at a time; about 16 KB for each limit.
class ChangingKeys {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kMinSamples = 1'000 / observe::LimitTop::kSampled;  ///< samples that are enough
  static constexpr std::size_t kMaxSamples = 1'024;                                ///< samples of one window
  static constexpr Duration kWindow = std::chrono::minutes(2);                     ///< the longest window

  /// Adds what one worker has sampled of `limit` since it was asked before.
  void add(std::string_view limit, const observe::HeavyList& sampled, Steady now);
  /// The limits whose last window had hardly any key twice. Also ends windows that last too long.
  std::vector<std::string> changing(Steady now);

 private:
  struct Window {
    Steady begun{};
    std::size_t samples = 0;
    std::size_t repeated = 0;
    std::unordered_set<std::uint64_t> seen;
    bool changing = false;  ///< in the window before this one
  };
  static void end(Window& window, Steady now);

  std::map<std::string, Window, std::less<>> limits_;
};

}  // namespace headgate::services
