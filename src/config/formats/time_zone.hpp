#pragma once
// Finds time zones by name in the system's tz database. The database is read only when a configuration is loaded,
// because a Calendar keeps the offsets.

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/limit/calendar.hpp"

#include <memory>
#include <string>

namespace headgate::config {

/// Returns the days or months of the zone `zone` of the tz database ("Europe/Vienna"), with all changes of its offset
/// from 2000 to 2100. If the rules of a zone have no end, their changes are only known until 2037. "UTC" needs no
/// database. Reads files. Throws only bad_alloc. The first call must not run on two threads at the same time.
Result<std::shared_ptr<const limit::Calendar>, LiteralError> make_calendar(limit::Calendar::Unit unit,
                                                                           const std::string& zone);

}  // namespace headgate::config
