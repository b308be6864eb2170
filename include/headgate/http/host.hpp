#pragma once
// Normalises host names before they are used for routes and limits. Used by session, config and the parsers.

#include <string>
#include <string_view>

namespace headgate::http {

/// Parses `authority`, a host with an optional port (RFC 9110 section 7.2), and writes the host into `out`: in lower
/// case, without the port and without a final dot; an IPv6 address in its shortest form (RFC 5952), in brackets.
/// Returns false if a server could read another host: for a character that is not allowed in names, an empty label,
/// brackets around anything but an IPv6 address, or a port outside 1 to 65535. An IPv4 address is treated as a name.
[[nodiscard]] bool normalise_host(std::string_view authority, std::string& out);

}  // namespace headgate::http
