#pragma once
// Which rates of a limit count by the days or months of a time zone.

#include "build.hpp"

#include "headgate/limit/calendar.hpp"

#include <memory>

namespace headgate::config {

/// Those of one limit. Outlives neither its Build nor its node.
class Calendars {
 public:
  Calendars(Build& build, const Node& limit);

  /// Sets `out` where `rate` counts by a calendar, and leaves it null where it counts by the clock. False where it
  /// cannot be counted: reported. `node` is where the rate was written.
  bool find(const Node& node, const Rate& rate, std::shared_ptr<const limit::Calendar>& out);

  /// Reports a time zone that no rate asked for.
  void check_used();

 private:
  bool make(limit::Calendar::Unit unit, std::shared_ptr<const limit::Calendar>& out);

  Report& report_;
  const Node* zone_;  ///< as written, or null
  bool fixed_window_;
  bool used_ = false;
  bool broken_ = false;  ///< the zone is no zone: said once
  std::shared_ptr<const limit::Calendar> days_;
  std::shared_ptr<const limit::Calendar> months_;
};

}  // namespace headgate::config
