#pragma once
// Who is limited, over all workers: for each limit the keys that it rejected and allowed most often, in the last minute
// and in the last hour.

#include "headgate/core/time.hpp"
#include "headgate/observe/limit_top.hpp"
#include "headgate/services/changing_keys.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::services {

enum class TopBy : std::uint8_t { rejected, allowed };
enum class TopWindow : std::uint8_t { minute, hour };

/// Any thread. What it holds of a limit is at most two lists for each 10 s of the last minute and each 5 minutes of the
/// last hour: 0.4 MB for keys like addresses, 2 MB for the longest keys.
class TopBoard {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  explicit TopBoard(Steady begun) noexcept : begun_(begun) {}

  /// Adds what a worker has counted until now.
  void add(const std::vector<observe::TakenTop>& taken, Steady now);

  struct Answer {
    observe::HeavyList list;  ///< in no order
    Duration covered{0};  ///< how long the window is: up to one sixth more than its name says, and less after a start
  };
  /// An unknown limit has an empty list.
  Answer of(std::string_view limit, TopBy by, TopWindow window, Steady now) const;
  /// The names that something was counted under, and that begin with `prefix`.
  std::vector<std::string> names(std::string_view prefix) const;
  /// The limits whose key changes with nearly each request.
  std::vector<std::string> changing(Steady now);
  /// The first key for which `is` holds, of those that are in a list of this limit or of its name with a route
  /// ("plan@search").
  std::optional<std::string> find(std::string_view limit, const std::function<bool(std::string_view)>& is) const;

 private:
  /// Lists of equal periods, the newest last.
  struct Periods {
    struct Period {
      std::int64_t number = 0;  ///< since the begin of the clock
      observe::HeavyList list;
    };
    std::deque<Period> kept;
  };
  struct Counted {
    std::array<Periods, 2> rejected;  ///< by TopWindow
    std::array<Periods, 2> allowed;
  };

  static void add(std::array<Periods, 2>& to, const observe::HeavyList& list, Steady now);

  const Steady begun_;
  mutable std::mutex mutex_;
  std::map<std::string, Counted, std::less<>> limits_;  ///< guarded by the mutex
  ChangingKeys changing_;                               ///< guarded by the mutex
};

}  // namespace headgate::services
