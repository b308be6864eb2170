#pragma once
// The credentials that a request brings along: where they stand, and how they are kept from the server behind.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// A credential as found. In two places at once it is refused: two readers could each believe another one.
struct Presented {
  std::string_view text;  ///< empty where there is none; a view into the head or x.text
  bool twice = false;
};

Presented presented_key(Exchange& x, const identity::ApiKeyOptions& options);
Presented presented_token(Exchange& x, const identity::JwtOptions& options);

/// Takes out of `fields`, which are to be sent on, what the options keep from the server behind; and puts in what
/// claims tell it.
void forward_identity(Exchange& x, const identity::Options& options, http::Fields& fields);
/// Whether a field says who the caller is: such may stand in a head, where it is looked at, and in no trailer.
bool tells_identity(const http::Field& field, const identity::Options& options) noexcept;
/// The query that is sent on.
std::string_view forwarded_query(Exchange& x, const identity::Options& options);

}  // namespace headgate::gateway
