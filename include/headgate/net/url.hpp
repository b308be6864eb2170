#pragma once
// A URL that we call, read strictly. Used by keyring and notify, and by config to check what was written.

#include "headgate/core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::net {

enum class Scheme { http, https };

/// Where a server is asked for something (RFC 3986, RFC 9110 section 4.2).
struct Url {
  Scheme scheme = Scheme::https;
  std::string host;  ///< a name in lower case, or an address; IPv6 without its brackets
  std::uint16_t port = 443;
  std::string target;  ///< path and query as they are sent: "/keys?v=2"; at least "/"
  bool operator==(const Url&) const = default;
};

/// Reads "https://login.example.com/keys", "http://[::1]:8080/keys?v=2". Scheme and host are taken in any case.
/// Refused: another scheme, user info, a fragment, an empty host or port, a zone, and whatever RFC 3986 does not allow
/// unescaped. The error is a sentence without its dot that says what to write instead, such as `example`; it quotes no
/// user info. Any thread.
Result<Url, std::string> parse_url(std::string_view text, std::string_view example);

/// The host as the Host field has it: in brackets for IPv6, with the port where it is not the scheme's own.
std::string authority(const Url& url);

/// The shortest text that parse_url reads as the same URL.
std::string to_text(const Url& url);

}  // namespace headgate::net
