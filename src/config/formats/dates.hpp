#pragma once
// Days, for messages.

#include "headgate/core/time.hpp"

#include <string>

namespace headgate::config {

/// "2026-11-22", in UTC.
std::string date_text(Instant at);

}  // namespace headgate::config
