#pragma once
// One spelling for each host, made before routes are matched and limits count by it.

#include <string>
#include <string_view>

namespace headgate::http {

/// Reads `authority`, a host with an optional port (RFC 9110 section 7.2), and writes its host into `out`: in lower
/// case, without the port and without the root's dot, an IPv6 address in its one short form (RFC 5952). False where
/// some server could read another host out of it: a character that names do not have, an empty label, brackets around
/// what is no address, a port that is none of 1 to 65535. Of an IPv4 address only the usual form is known as one.
[[nodiscard]] bool normalise_host(std::string_view authority, std::string& out);

}  // namespace headgate::http
