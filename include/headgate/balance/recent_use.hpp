#pragma once
// The recent use of one server, for people: request and error rates of the last seconds, and latencies. Used by watch.

#include "headgate/balance/ejection.hpp"
#include "headgate/balance/latencies.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace headgate::balance {

/// The use of one server over all workers; one thread. All times are arguments and never decrease.
class RecentUse {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  static constexpr std::size_t kSlots = 10;  ///< number of seconds that rates are averaged over

  /// The rates, per second.
  struct Rates {
    double attempts = 0;
    double errors = 0;         ///< attempts with a failure status, without an answer in time, or broken off
    double not_connected = 0;  ///< attempts without a connection
    Duration p95{0};  ///< 95th percentile of the time until the head of an answer; 0 if there are no recent answers
  };

  void note(Steady now, const ServerResults& results) noexcept;
  Rates rates(Steady now) const noexcept;

 private:
  struct Slot {
    std::int64_t second = -1;  ///< second of the steady clock
    std::uint32_t attempts = 0, errors = 0, not_connected = 0;
  };
  std::array<Slot, kSlots> slots_{};
  Latencies latencies_;
  std::int64_t halved_ = 0;  ///< the second in which old latencies were halved last
};

}  // namespace headgate::balance
