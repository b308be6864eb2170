#pragma once
// Dates in header fields (RFC 9110 section 5.6.7). Used for Retry-After and for answers from files. Any thread.

#include "headgate/core/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::http {

/// Parses a date in the current form, "Sun, 06 Nov 1994 08:49:37 GMT", or in one of the two obsolete forms that
/// recipients must still accept: "Sunday, 06-Nov-94 08:49:37 GMT", whose year is from 1970 to 2069, and "Sun Nov 6
/// 08:49:37 1994". Empty for anything else. The day of the week is not checked.
std::optional<Instant> read_http_date(std::string_view text) noexcept;

/// Returns `moment`, rounded down to the second, in the current form.
std::string http_date(Instant moment);

/// Returns the wait that a Retry-After value asks for (RFC 9110 section 10.2.3), which is a number of seconds or a
/// date. The result is at most `most`; a date in the past gives zero. Empty if the value cannot be parsed.
std::optional<Duration> read_retry_after(std::string_view value, Instant now, Duration most) noexcept;

}  // namespace headgate::http
