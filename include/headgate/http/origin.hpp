#pragma once
// Origins: the scheme, host and port of a page, as browsers send them in Origin (RFC 6454). Used by config and gateway.

#include <string>
#include <string_view>

namespace headgate::http {

/// Maximum length of an origin in bytes: a scheme, a host of 253 bytes and a port.
inline constexpr std::size_t kMaxOrigin = 300;

/// Writes `text` into `out` so that equal origins become equal texts: scheme and host in lower case, without the
/// default port of http or https. Returns false unless the text is exactly scheme, "://", host and an optional port. A
/// path, a user, a final dot, a port with a leading zero and "null" are refused.
[[nodiscard]] bool normalise_origin(std::string_view text, std::string& out);

}  // namespace headgate::http
