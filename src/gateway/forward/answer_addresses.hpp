#pragma once
// Translates addresses in a server's answer to the addresses that the client knows: Location, Content-Location, and the
// Domain and Path of cookies. This is needed if the server gets another name or path than the client sent: the server
// then uses its own name or path in its answers.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// The names and prefixes by which the server and the client refer to the same resources.
struct AddressMap {
  std::string_view server;     ///< the server's own authority
  std::string_view asked;      ///< the authority that the server got as Host
  std::string_view scheme;     ///< the client's scheme: "http" or "https"
  std::string_view authority;  ///< the authority that the client used; empty if not known
  std::string_view stripped;   ///< the prefix that the server does not see; "" if there is none
  std::string_view added;      ///< the prefix that only the server sees; "" if there is none
};

/// Returns a URL of an answer in the form that the client can use. Returns `value` itself if the URL belongs to another
/// host, or cannot be translated.
std::string_view for_client(TextArena& text, const AddressMap& map, std::string_view value);
/// Returns the value of a Set-Cookie for the client. A Domain that covers the server's host but not the client's is
/// omitted, so that the cookie belongs to the host that the client used.
std::string_view cookie_for_client(TextArena& text, const AddressMap& map, std::string_view value);

/// Translates the addresses in the fields of x.answer. Only for routes whose edits have `answers`.
void turn_addresses(Exchange& x, http::Fields& fields);

}  // namespace headgate::gateway
