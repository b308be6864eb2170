#pragma once
// The days or months of a time zone, for quotas that follow the calendar. No I/O: config reads the zone. Used by the
// windows, gateway and services.

#include "headgate/core/time.hpp"

#include <string>
#include <vector>

namespace headgate::limit {

/// From `from` on, local time is UTC plus `offset`.
struct ZoneOffset {
  Instant from;
  Duration offset;
};

/// The calendar of one zone. Immutable; any thread.
class Calendar {
 public:
  enum class Unit { day, month };
  /// A period from `start` (included) to `end` (excluded). A day has 23 to 25 hours if clocks change by one hour. A
  /// month has 28 to 31 days, plus or minus that hour. A day begins at the first moment with its date. If clocks jump
  /// from 00:00 to 01:00, the day begins at 01:00. If clocks go back over midnight, the day begins at the first of the
  /// two midnights, and only once.
  struct Window {
    Instant start;
    Instant end;
    bool operator==(const Window&) const = default;
  };

  /// `offsets` is in ascending order and has at least one entry. The first entry also applies to all time before it.
  /// `zone` is the configured name ("Europe/Vienna").
  Calendar(Unit unit, std::string zone, std::vector<ZoneOffset> offsets);

  /// Returns the day or month that contains `moment`.
  Window at(Instant moment) const noexcept;
  /// Returns the date of the day that contains `moment`, regardless of the unit.
  std::chrono::sys_days date_of(Instant moment) const noexcept;
  /// Returns the day with this date, regardless of the unit; empty for a date that the zone has skipped.
  Window day(std::chrono::sys_days date) const noexcept;
  Unit unit() const noexcept { return unit_; }
  const std::string& zone() const noexcept { return zone_; }

 private:
  /// Returns the first moment at which local time reaches the midnight at which `day` (days since 1970) begins.
  Instant start_of(std::chrono::sys_days day) const noexcept;
  Duration offset_at(Instant moment) const noexcept;

  Unit unit_;
  std::string zone_;
  std::vector<ZoneOffset> offsets_;
};

}  // namespace headgate::limit
