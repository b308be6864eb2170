#pragma once
// What is passed on: the fields of a request to a server, and of its answer to the client.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Fills x.fields with what the server gets: the end-to-end fields, the client's way here rebuilt (X-Forwarded-*,
/// believed only from trusted hops), X-Request-Id and Via. Views into x and `site`.
void forward_request_fields(Exchange& x, const CompiledConfig& compiled);

/// Fills x.fields with what the client gets of x.answer, the limits' numbers, X-Request-Id and Via; a Date where the
/// server wrote none.
void forward_reply_fields(Exchange& x, const CompiledConfig& compiled, RejectionHeaders style);

/// What of a body's trailers is passed on: not what a head may not bring either.
http::Fields forward_trailers(const http::Fields& trailers, const CompiledConfig& compiled);

}  // namespace headgate::gateway
