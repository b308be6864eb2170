#pragma once
// Moments as text (RFC 3339), in UTC. For years 0 to 9999. Used by most modules.

#include "headgate/core/time.hpp"

#include <string>

namespace headgate {

/// Returns "2026-11-22T10:42:25Z", to the second.
std::string moment_text(Instant moment);
/// Returns "2026-11-22".
std::string day_text(Instant moment);

}  // namespace headgate
