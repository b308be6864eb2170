#pragma once
// Dates in fields (RFC 9110 section 5.6.7). Used for Retry-After and for answers from files.

#include "headgate/core/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::http {

/// In the current form, "Sun, 06 Nov 1994 08:49:37 GMT", or one of the two that are obsolete and must be read all the
/// same: "Sunday, 06-Nov-94 08:49:37 GMT", whose year is from 1970 to 2069, and "Sun Nov  6 08:49:37 1994". Nothing for
/// any other. Whether the day of the week is right is not looked at.
std::optional<Instant> read_http_date(std::string_view text) noexcept;

/// The second that contains `moment`, in the current form.
std::string http_date(Instant moment);

/// The time to wait that a value of Retry-After (RFC 9110 section 10.2.3) asks for: in seconds, or until a date in its
/// current form. A date in the past is zero. Nothing if it cannot be read. At most `most`.
std::optional<Duration> read_retry_after(std::string_view value, Instant now, Duration most) noexcept;

}  // namespace headgate::http
