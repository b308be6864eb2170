#pragma once
// Moments as people and logs write them.

#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::access_logs {

/// A moment in any spelling that a log may have: RFC 3339 (also with a blank in place of T, with a comma before the
/// fraction, or without a zone), "22/Nov/2026:05:30:12 +0000", seconds, milliseconds, microseconds or nanoseconds since
/// 1970. Also a date
/// ("2026-11-22"), which is its first moment. Without a zone it is UTC. Of the years 1970 to 2199. Nothing: it is none.
std::optional<Instant> parse_moment(std::string_view text) noexcept;

}  // namespace headgate::access_logs
