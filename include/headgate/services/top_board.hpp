#pragma once
// The limited callers over all workers: for each limit the keys that it rejected and allowed most often, in the last
// minute and in the last hour.

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

/// A board of the limited callers. Any thread. For each limit it holds at most two lists for each 10 s of the last
/// minute and for each 5 minutes of the last hour. A limit takes 0.4 MB for keys the size of addresses, and 2 MB for
/// the longest keys.
class TopBoard {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  explicit TopBoard(Steady begun) noexcept : begun_(begun) {}

  /// Adds what a worker has counted so far.
  void add(const std::vector<observe::LimitSketches>& taken, Steady now);

  struct Answer {
    observe::HeavyList list;  ///< The keys, in no particular order.
    /// Length of the window. Up to a sixth longer than the window's name says; shorter after startup.
    Duration covered{0};
  };
  /// Returns the list of a limit, which is empty if the limit is unknown.
  Answer of(std::string_view limit, TopBy by, TopWindow window, Steady now) const;
  /// Returns the names that begin with `prefix` and have counts.
  std::vector<std::string> names(std::string_view prefix) const;
  /// Returns the limits whose key changes with nearly each request.
  std::vector<std::string> changing(Steady now);
  /// Returns the first key for which `is` returns true, among the keys listed for this limit or for its name with a
  /// route ("plan@search").
  std::optional<std::string> find(std::string_view limit, const std::function<bool(std::string_view)>& is) const;

 private:
  /// Lists of equal periods, newest last.
  struct Periods {
    struct Period {
      std::int64_t number = 0;  ///< Number of the period, counted from the start of the clock.
      observe::HeavyList list;
    };
    std::deque<Period> kept;
  };
  struct Counted {
    std::array<Periods, 2> rejected;  ///< By TopWindow.
    std::array<Periods, 2> allowed;
  };

  static void add(std::array<Periods, 2>& to, const observe::HeavyList& list, Steady now);

  const Steady begun_;
  mutable std::mutex mutex_;
  std::map<std::string, Counted, std::less<>> limits_;  ///< Guarded by the mutex.
  ChangingKeys changing_;                               ///< Guarded by the mutex.
};

}  // namespace headgate::services
