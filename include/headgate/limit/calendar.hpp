#pragma once
// The days or months of a time zone, for quotas that start anew by the calendar. No I/O: config reads the zone.

#include "headgate/core/time.hpp"

#include <string>
#include <vector>

namespace headgate::limit {

/// From `from` on, local time is UTC plus `offset`.
struct ZoneOffset {
  Instant from;
  Duration offset;
};

/// Immutable; any thread.
class Calendar {
 public:
  enum class Unit { day, month };
  /// From `start` (included) to `end` (not included): 23 to 25 hours where clocks change by one, or 28 to 31 days and
  /// an hour. A day begins at the first moment that its date is reached, whatever the clock shows then: at 01:00 where
  /// clocks go from 00:00 to 01:00, and but once where they go back over midnight.
  struct Window {
    Instant start;
    Instant end;
    bool operator==(const Window&) const = default;
  };

  /// `offsets` in ascending order, at least one; the first holds also for all time before it. `zone` is what the user
  /// calls it ("Europe/Vienna").
  Calendar(Unit unit, std::string zone, std::vector<ZoneOffset> offsets);

  /// The day or month that `moment` lies in.
  Window at(Instant moment) const noexcept;
  Unit unit() const noexcept { return unit_; }
  const std::string& zone() const noexcept { return zone_; }

 private:
  /// The first moment at which local time has reached the midnight before `day` (days since 1970).
  Instant start_of(std::chrono::sys_days day) const noexcept;
  Duration offset_at(Instant moment) const noexcept;

  Unit unit_;
  std::string zone_;
  std::vector<ZoneOffset> offsets_;
};

}  // namespace headgate::limit
