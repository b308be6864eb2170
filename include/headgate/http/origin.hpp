#pragma once
// Origins: the scheme, host and port of a page, as browsers send them in Origin (RFC 6454).

#include <string>
#include <string_view>

namespace headgate::http {

/// The longest origin that is read, in bytes: a scheme, a host of 253 bytes and a port.
inline constexpr std::size_t kMaxOrigin = 300;

/// Writes `text` into `out` so that equal origins are equal texts: scheme and host in lower case, without the port
/// that is usual for http and https. False if it is not exactly scheme, "://", host and an optional port: a path, a
/// user, a final dot, a port with a leading zero, "null".
[[nodiscard]] bool normalise_origin(std::string_view text, std::string& out);

}  // namespace headgate::http
