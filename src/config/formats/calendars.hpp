#pragma once
// Finds the calendars of the rates that count by days or months of a time zone.

#include "config/build.hpp"

#include "headgate/limit/calendar.hpp"

#include <memory>

namespace headgate::config {

/// The calendars of one limit. The Build and the node of the limit must outlive it.
class Calendars {
 public:
  Calendars(Build& build, const Node& limit);

  /// Sets `out` to the calendar by which `rate` counts; null if the rate counts by the clock. `node` is the place where
  /// the rate was written. If the rate cannot be counted, reports an error and returns false.
  bool find(const Node& node, const Rate& rate, std::shared_ptr<const limit::Calendar>& out);

  /// Reports a time zone that no rate uses.
  void check_used();

 private:
  bool make(limit::Calendar::Unit unit, std::shared_ptr<const limit::Calendar>& out);

  Report& report_;
  const Node* zone_;  ///< the zone as written; null if none is written
  bool by_calendar_;  ///< whether the limit's algorithm can count by calendars
  bool used_ = false;
  bool broken_ = false;  ///< whether an invalid zone has been reported
  std::shared_ptr<const limit::Calendar> days_;
  std::shared_ptr<const limit::Calendar> months_;
};

}  // namespace headgate::config
