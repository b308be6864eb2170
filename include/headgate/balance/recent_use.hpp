#pragma once
// What went to one server lately, for people: rates of the last seconds, and how long answers took.

#include "headgate/balance/ejection.hpp"
#include "headgate/balance/latencies.hpp"
#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace headgate::balance {

/// One server over all workers; one thread. All times are arguments and never fall.
class RecentUse {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  static constexpr std::size_t kSlots = 10;  ///< seconds that rates are over

  /// Rates are each second.
  struct Rates {
    double attempts = 0;
    double errors = 0;         ///< answered with a status that says so, no answer in time, or broken off
    double not_connected = 0;  ///< could not be connected to
    Duration p95{0};           ///< until the head of an answer, of the newest answers; 0: there was none
  };

  void note(Steady now, const Happened& happened) noexcept;
  Rates rates(Steady now) const noexcept;

 private:
  struct Slot {
    std::int64_t second = -1;  ///< of the steady clock
    std::uint32_t attempts = 0, errors = 0, not_connected = 0;
  };
  std::array<Slot, kSlots> slots_{};
  Latencies latencies_;
  std::int64_t halved_ = 0;  ///< the second in which old latencies became half
};

}  // namespace headgate::balance
