#pragma once
// Moments as text (RFC 3339), in UTC. For years 0 to 9999.

#include "headgate/core/time.hpp"

#include <string>

namespace headgate {

/// "2026-11-22T10:42:25Z", to the second.
std::string moment_text(Instant moment);
/// "2026-11-22".
std::string day_text(Instant moment);

}  // namespace headgate
