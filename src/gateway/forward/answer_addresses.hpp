#pragma once
// Turns addresses in a server's answer back to what the client knows: Location, Content-Location, and the Domain and
// Path of cookies. A server that was asked under another name or path tells its own.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// How the server and the client see the same thing.
struct AddressMap {
  std::string_view server;     ///< the server's own authority
  std::string_view asked;      ///< the authority that it got as Host
  std::string_view scheme;     ///< of the client: "http" or "https"
  std::string_view authority;  ///< that the client used; empty: not known
  std::string_view stripped;   ///< the prefix that the server does not see; "" for none
  std::string_view added;      ///< the prefix that only the server sees; "" for none
};

/// A URL in an answer as the client can use it; `value` itself if it is of somebody else, or cannot be turned back.
std::string_view for_client(TextArena& text, const AddressMap& map, std::string_view value);
/// The value of a Set-Cookie. A Domain that is the server's but not the client's is left out: the cookie is then of the
/// host that the client asked.
std::string_view cookie_for_client(TextArena& text, const AddressMap& map, std::string_view value);

/// Turns back what `fields` of x.answer have. Only for routes whose edits have `answers`.
void turn_addresses(Exchange& x, http::Fields& fields);

}  // namespace headgate::gateway
