#pragma once
// Changes the fields of heads as the route's edits say. Only for routes with edits.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <span>

namespace headgate::gateway {

/// Returns the text for this request; "" if it needs a value that the request does not have, or that cannot be sent in
/// a field. A view into x.text, `x` or `text`.
std::string_view text_of(Exchange& x, const TextTemplate& text);

/// The treatment of a field whose value is empty for a request. In a decision it is sent, so that the proxy replaces a
/// field that its client sent.
enum class IfEmpty : bool { left_out, sent };
/// Applies the changes in their order.
void edit_fields(Exchange& x, std::span<const FieldEdit> edits, http::Fields& fields,
                 IfEmpty if_empty = IfEmpty::left_out);
/// Applies the changes that set or add a field, if `fields` has none of that name.
void add_missing_fields(Exchange& x, std::span<const FieldEdit> edits, http::Fields& fields);
/// Removes from trailers the fields that the edits set or remove in the head.
void drop_edited(std::span<const FieldEdit> edits, http::Fields& trailers);

/// Edits the head for the server: the fields of the route, and X-Forwarded-Prefix if a prefix was stripped.
void edit_request(Exchange& x, http::Fields& fields);

/// Edits the head of a server's answer for the client: translates addresses of the server, and changes the fields of
/// the route.
void edit_answer(Exchange& x, http::Fields& fields);
/// Edits the head of a fixed answer.
void edit_fixed_answer(Exchange& x, http::Fields& fields);

/// Sets Host to the name of the chosen server, if the route wants that.
void name_server(Exchange& x, std::string_view server);

}  // namespace headgate::gateway
