#pragma once
// Which fields are forwarded: of a request to a server, and of its answer to the client.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <span>

namespace headgate::gateway {

/// Fills x.fields with the fields for the server: the end-to-end fields, the forwarding headers made anew, X-Request-Id
/// and Via. Views into `x` and `compiled`.
void forward_request_fields(Exchange& x, const CompiledConfig& compiled);

/// Whether servers that turn fields into variables would take it for a hop-by-hop field, which it is not by its
/// spelling.
bool is_twin_of_hop(const http::Field& field);
/// Whether a server describes limits of its own in it: it would contradict ours.
bool is_limit_field(const http::Field& field) noexcept;

/// Fills x.fields with what x.answer says to the client itself, as send_answer() wants it: its end-to-end fields
/// without those that the gateway writes. With `limits` they are the gateway's own ones.
void take_over_fields(Exchange& x, RejectionHeaders limits);
/// Via for the client: the entries of x.answer, and ours.
void append_reply_via(Exchange& x, http::Fields& out);

/// The trailers that are forwarded. Fields that are not forwarded in a head are not forwarded here either, nor those
/// that `edits` set or remove.
http::Fields forward_trailers(const http::Fields& trailers, const CompiledConfig& compiled,
                              std::span<const FieldEdit> edits);
/// The same with the edits of this exchange's route.
http::Fields forward_trailers(const Exchange& x, const http::Fields& trailers, Towards towards);

}  // namespace headgate::gateway
