#pragma once
// Finds the calendars for those rates of a limit that count by days or months of a time zone.

#include "config/build.hpp"

#include "headgate/limit/calendar.hpp"

#include <memory>

namespace headgate::config {

/// The calendars of one limit. The Build and the node of the limit must outlive it.
class Calendars {
 public:
  Calendars(Build& build, const Node& limit);

  /// Sets `out` if `rate` counts by a calendar, and leaves it null if `rate` counts by the clock. Reports an error and
  /// returns false if the rate cannot be counted. `node` is the place at which the rate was written.
  bool find(const Node& node, const Rate& rate, std::shared_ptr<const limit::Calendar>& out);

  /// Reports a time zone that no rate uses.
  void check_used();

 private:
  bool make(limit::Calendar::Unit unit, std::shared_ptr<const limit::Calendar>& out);

  Report& report_;
  const Node* zone_;  ///< the zone as written; null if none is written
  bool by_calendar_;  ///< whether the limit's algorithm can count by calendars
  bool used_ = false;
  bool broken_ = false;  ///< whether the zone is not valid, which is reported once
  std::shared_ptr<const limit::Calendar> days_;
  std::shared_ptr<const limit::Calendar> months_;
};

}  // namespace headgate::config
