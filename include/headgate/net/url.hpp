#pragma once
// URLs that the gateway calls, parsed strictly. Used by keyring, http_call and load, and by config to check them.

#include "headgate/core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::net {

enum class Scheme { http, https };

/// The address of an HTTP resource (RFC 3986, RFC 9110 section 4.2).
struct Url {
  Scheme scheme = Scheme::https;
  std::string host;  ///< a name in lower case or an address; IPv6 without brackets
  std::uint16_t port = 443;
  std::string target;  ///< path and query as they are sent, such as "/keys?v=2"; at least "/"
  bool operator==(const Url&) const = default;
};

/// Parses a URL such as "https://login.example.com/keys" or "http://[::1]:8080/keys?v=2". Scheme and host may be in any
/// case. Rejected: another scheme, user info, a fragment, an empty host or port, a zone, and characters that RFC 3986
/// does not allow unescaped. The error is a sentence without a full stop that says what to write instead, such as
/// `example`; it never quotes user info. Any thread.
Result<Url, std::string> parse_url(std::string_view text, std::string_view example);

/// Returns the host as used in the Host field: in brackets for IPv6, with the port unless it is the default of the
/// scheme.
std::string authority(const Url& url);

/// Returns the shortest text that parse_url reads as the same URL.
std::string to_text(const Url& url);

}  // namespace headgate::net
