#pragma once
// Time zones by name, read from the system's tz database. Used at load time only: what counts by a calendar keeps the
// offsets.

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/limit/calendar.hpp"

#include <memory>
#include <string>

namespace headgate::config {

/// The days or months of the zone that the tz database calls `zone` ("Europe/Vienna"), with all its changes of offset
/// from 2000 to 2100 as far as the database foretells them: rules without an end are spelt out until 2037. "UTC" needs
/// no database. Reads files; throws nothing but bad_alloc. One thread at a time the first time.
Result<std::shared_ptr<const limit::Calendar>, LiteralError> make_calendar(limit::Calendar::Unit unit,
                                                                           const std::string& zone);

}  // namespace headgate::config
