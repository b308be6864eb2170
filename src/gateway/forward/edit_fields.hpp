#pragma once
// Changes the fields of heads as the route says. Only for routes with edits.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <span>

namespace headgate::gateway {

/// The text for this request; "" if it needs something that the request has not, or that no field can carry. A view
/// into x.text, `x` or `text`.
std::string_view text_of(Exchange& x, const TextTemplate& text);

/// Makes the changes in their order.
void edit_fields(Exchange& x, std::span<const FieldEdit> edits, http::Fields& fields);
/// Adds what is set or added, where `fields` has no field of the name.
void add_missing_fields(Exchange& x, std::span<const FieldEdit> edits, http::Fields& fields);
/// Removes from trailers what is set or removed in the head.
void drop_edited(std::span<const FieldEdit> edits, http::Fields& trailers);

/// The head for the server: the fields of the route, and X-Forwarded-Prefix if the server does not see a prefix.
void edit_request(Exchange& x, http::Fields& fields);

/// The head of a server's answer for the client: addresses of the server turned back, and the fields of the route.
void edit_answer(Exchange& x, http::Fields& fields);
/// The head of a fixed answer.
void edit_fixed_answer(Exchange& x, http::Fields& fields);

/// Sets Host for the server that was chosen, if the route wants the server's own name there.
void name_server(Exchange& x, std::string_view server);

}  // namespace headgate::gateway
