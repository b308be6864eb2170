#pragma once
// Normalises hosts, before routes are matched and limits count by them.

#include <string>
#include <string_view>

namespace headgate::http {

/// Reads `authority`, a host with an optional port (RFC 9110 section 7.2). Writes the host into `out`: in lower case,
/// without the port and without a final dot; an IPv6 address in its shortest form (RFC 5952), in brackets. Returns
/// false if some server could read another host: for a character that no name has, an empty label, brackets around
/// anything but an IPv6 address, a port outside 1 to 65535. An IPv4 address is treated as a name.
[[nodiscard]] bool normalise_host(std::string_view authority, std::string& out);

}  // namespace headgate::http
