#pragma once
// Dates in fields (RFC 9110 section 5.6.7). Used for Retry-After and for answers from files.

#include "headgate/core/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::http {

/// "Sun, 06 Nov 1994 08:49:37 GMT", the current form; nothing for any other. The day of the week is not read.
std::optional<Instant> read_http_date(std::string_view text) noexcept;

/// The second that contains `moment`, in that form.
std::string http_date(Instant moment);

}  // namespace headgate::http
