#pragma once
// The metrics of reservations.

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/steps.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// The way in which a reservation ended.
enum class ReservationEnd : std::uint8_t {
  used,       ///< it was settled with its costs
  cancelled,  ///< everything was given back
  expired,    ///< nobody settled it in time, or the gateway stopped
  refused     ///< there was no place for it
};

/// The counters of one worker. The series are created at first use, because most gateways have no reservations.
class ReservationCounters {
 public:
  static constexpr Step kStep = Step::settle;
  explicit ReservationCounters(const Counting& counting) noexcept
      : registry_(counting.registry), worker_(counting.worker) {}

  /// Shows the number of open reservations.
  void open(std::size_t count) const;
  void ended(ReservationEnd how) const;

 private:
  observe::Registry& registry_;
  observe::Writer worker_;
};

}  // namespace headgate::gateway
