#pragma once
// Finds the rates of a limit that count by the days or months of a time zone.

#include "config/build.hpp"

#include "headgate/limit/calendar.hpp"

#include <memory>

namespace headgate::config {

/// The calendars of one limit. Its Build and its node must outlive it.
class Calendars {
 public:
  Calendars(Build& build, const Node& limit);

  /// Sets `out` if `rate` counts by a calendar, and leaves it null if it counts by the clock. Reports an error and
  /// returns false if the rate cannot be counted. `node` is where the rate was written.
  bool find(const Node& node, const Rate& rate, std::shared_ptr<const limit::Calendar>& out);

  /// Reports a time zone that no rate uses.
  void check_used();

 private:
  bool make(limit::Calendar::Unit unit, std::shared_ptr<const limit::Calendar>& out);

  Report& report_;
  const Node* zone_;  ///< as written, or null
  bool by_calendar_;  ///< as the limit's algorithm has it
  bool used_ = false;
  bool broken_ = false;  ///< the zone is not valid: reported once
  std::shared_ptr<const limit::Calendar> days_;
  std::shared_ptr<const limit::Calendar> months_;
};

}  // namespace headgate::config
