#pragma once
// Parses the expiry of a key. Used by key files, the configuration, admin and `headgate keys`.

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <string>
#include <string_view>

namespace headgate::identity {

/// Parses a time in the form of RFC 3339 ("2027-01-31T12:00:00Z", "2027-01-31T12:00:00.5+02:00"; capital T and Z, at
/// most nine digits of a fraction, no leap second). A date alone ("2027-01-31") is the last day of the key, which
/// expires at the end of that day in UTC. The error does not quote `text`. Any thread.
Result<Instant, LiteralError> parse_expiry(std::string_view text);

}  // namespace headgate::identity
