#pragma once
// Until when a key is good, as a user writes it. Used by key files, the configuration and `headgate keys`.

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <string>
#include <string_view>

namespace headgate::identity {

/// A moment of RFC 3339 ("2027-01-31T12:00:00Z", "2027-01-31T12:00:00.5+02:00"; capital T and Z, at most nine digits of
/// a fraction, no leap second), or a date ("2027-01-31"), which is the last day on which the key is good: the end of
/// that day in UTC. The error does not quote `text`. Any thread.
Result<Instant, LiteralError> parse_expiry(std::string_view text);

/// "2027-02-01T00:00:00Z", to the second. For years 0 to 9999.
std::string expiry_text(Instant moment);

}  // namespace headgate::identity
