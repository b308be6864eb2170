#pragma once
// Detects limits whose key changes with each request: such a limit rejects nothing, whatever its rate. Used by
// TopBoard.

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

/// A detector that examines the sampled keys of allowed requests. If each key had two requests, the samples of a
/// thousand requests would contain eight keys twice. A limit is reported if at most one sample in fifty has the key of
/// an earlier sample. One thread at a time; about 16 KB for each limit.
class ChangingKeys {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  /// Number of samples that is sufficient.
  static constexpr std::size_t kMinSamples = 1'000 / observe::LimitTop::kSampled;
  static constexpr std::size_t kMaxSamples = 1'024;             ///< Maximum number of samples in one window.
  static constexpr Duration kWindow = std::chrono::minutes(2);  ///< Maximum duration of a window.

  /// Adds one worker's samples for `limit` since the previous call.
  void add(std::string_view limit, const observe::HeavyList& sampled, Steady now);
  /// Returns the limits whose last window had hardly any repeated key. Also ends windows that last too long.
  std::vector<std::string> changing(Steady now);

 private:
  struct Window {
    Steady begun{};
    std::size_t samples = 0;
    std::size_t repeated = 0;
    std::unordered_set<std::uint64_t> seen;
    bool changing = false;  ///< Whether the previous window had hardly any repeated key.
  };
  static void end(Window& window, Steady now);

  std::map<std::string, Window, std::less<>> limits_;
};

}  // namespace headgate::services
