#pragma once
// Parses times as people and logs write them. Used by cli and the readers of access_logs.

#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::access_logs {

/// Parses a time in any spelling that a log may have: RFC 3339 (also with a blank in place of T, with a comma before
/// the fraction, or without a zone), "22/Nov/2026:05:30:12 +0000", or seconds, milliseconds, microseconds or
/// nanoseconds since 1970. A date ("2026-11-22") means its first moment. A time without a zone is in UTC. Years 1970 to
/// 2199. Empty for anything else.
std::optional<Instant> parse_moment(std::string_view text) noexcept;

}  // namespace headgate::access_logs
