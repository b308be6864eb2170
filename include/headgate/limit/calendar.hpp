#pragma once
// The days or months of a time zone, for quotas that follow the calendar. No I/O: config reads the zone.

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
  /// From `start` (included) to `end` (excluded). A day has 23 to 25 hours if clocks change by one hour. A month has 28
  /// to 31 days, plus or minus that hour. A day begins at the first moment that has its date. Where clocks jump from
  /// 00:00 to 01:00, it begins at 01:00. Where clocks go back over midnight, it begins at the first of the two
  /// midnights, and only once.
  struct Window {
    Instant start;
    Instant end;
    bool operator==(const Window&) const = default;
  };

  /// `offsets` is in ascending order and has at least one entry. The first entry holds also for all time before it.
  /// `zone` is the user's name for it ("Europe/Vienna").
  Calendar(Unit unit, std::string zone, std::vector<ZoneOffset> offsets);

  /// The day or month that contains `moment`.
  Window at(Instant moment) const noexcept;
  /// The date of the day that contains `moment`, whatever the unit is.
  std::chrono::sys_days date_of(Instant moment) const noexcept;
  /// The day of that date, whatever the unit is; empty for one that the zone has skipped.
  Window day(std::chrono::sys_days date) const noexcept;
  Unit unit() const noexcept { return unit_; }
  const std::string& zone() const noexcept { return zone_; }

 private:
  /// The first moment at which local time reaches the midnight before `day` (days since 1970).
  Instant start_of(std::chrono::sys_days day) const noexcept;
  Duration offset_at(Instant moment) const noexcept;

  Unit unit_;
  std::string zone_;
  std::vector<ZoneOffset> offsets_;
};

}  // namespace headgate::limit
