#pragma once
// The credentials of a request: where they are, and how they are kept from the server.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// A credential. If it occurs in two places the request is refused: two readers could each take another one.
struct Presented {
  std::string_view text;  ///< empty if there is none; a view into the head or x.text
  bool twice = false;
};

/// The API key of the request.
Presented presented_key(Exchange& x, const identity::ApiKeyOptions& options);
/// The token of the request, not verified.
Presented presented_token(Exchange& x, const identity::JwtOptions& options);

/// Removes from `fields`, which are for the server, the credentials that the options withhold. Adds the fields that
/// carry claims.
void forward_identity(Exchange& x, const identity::IdentityOptions& options, http::Fields& fields);
/// Whether a field identifies the caller. It may be in a head, where it is checked, but not in trailers.
bool is_identity_field(const http::Field& field, const identity::IdentityOptions& options) noexcept;
/// The query for the server, without withheld credentials. A view into the head or x.text.
std::string_view forwarded_query(Exchange& x, const identity::IdentityOptions& options);

}  // namespace headgate::gateway
