#pragma once
// The credentials of a request: where they are, and how they are kept from the server.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// A credential. A request with the credential in two places is refused, because the gateway might check one of them
/// and the server use the other.
struct Presented {
  std::string_view text;  ///< empty if there is none; a view into the head or x.text
  bool twice = false;
};

/// Returns the API key of the request.
Presented presented_key(Exchange& x, const identity::ApiKeyOptions& options);
/// Returns the token of the request, which is not verified.
Presented presented_token(Exchange& x, const identity::JwtOptions& options);

/// Removes the credentials that the options withhold from `fields`, which are for the server. Adds the fields that
/// carry claims.
void forward_identity(Exchange& x, const identity::IdentityOptions& options, http::Fields& fields);
/// Returns whether a field identifies the caller. Such a field may be in a head, where it is checked, but not in
/// trailers.
bool is_identity_field(const http::Field& field, const identity::IdentityOptions& options) noexcept;
/// Returns the query for the server, without withheld credentials. A view into the head or x.text.
std::string_view forwarded_query(Exchange& x, const identity::IdentityOptions& options);

}  // namespace headgate::gateway
