#pragma once
// Chooses the fields that are forwarded: of a request to a server, and of its answer to the client.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <span>

namespace headgate::gateway {

/// Fills x.fields with the fields for the server: the end-to-end fields, new forwarding headers, X-Request-Id and Via.
/// Views into `x` and `compiled`.
void forward_request_fields(Exchange& x, const CompiledConfig& compiled);

/// Returns whether a server that turns the names of fields into variables could confuse this field with a hop-by-hop
/// field.
bool is_twin_of_hop(const http::Field& field);
/// Returns whether the field describes limits. If a server sent such a field, it could contradict the gateway's own.
bool is_limit_field(const http::Field& field) noexcept;

/// Fills x.fields with the fields of x.answer that go to the client, as send_answer() needs them: the end-to-end fields
/// without those that the gateway sets. The server's fields about limits are left out if the gateway sends its own,
/// that is, if a limit applied and `limits` is not `none`.
void take_over_fields(Exchange& x, RejectionHeaders limits);
/// Appends Via for the client: the entries of x.answer, and the gateway's own.
void append_reply_via(Exchange& x, http::Fields& out);

/// Returns the trailers that are forwarded. Fields that are not forwarded in a head, or that `edits` set or remove, are
/// left out.
http::Fields forward_trailers(const http::Fields& trailers, const CompiledConfig& compiled,
                              std::span<const FieldEdit> edits);
/// Returns the trailers that are forwarded, with the edits of this exchange's route.
http::Fields forward_trailers(const Exchange& x, const http::Fields& trailers, Towards towards);

}  // namespace headgate::gateway
