#pragma once
// The value of Retry-After. Used by gateway and notify.

#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::http {

/// The time to wait that a value of Retry-After (RFC 9110 section 10.2.3) asks for: in seconds, or until a date in its
/// current form. A date in the past is zero. Nothing if it cannot be read. At most `most`.
std::optional<Duration> read_retry_after(std::string_view value, Instant now, Duration most) noexcept;

}  // namespace headgate::http
