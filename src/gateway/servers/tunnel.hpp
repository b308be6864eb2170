#pragma once
// Tunnels: relays bytes in both directions after 101 Switching Protocols; and WebSockets that clients ask for by
// CONNECT (RFC 8441): what the request becomes for a server of HTTP/1.1, and which answers open one.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/upstream/attempt.hpp"

#include <string_view>

namespace headgate::gateway {

/// Ends when both directions have ended, one has failed, or neither had a byte for `idle`.
Task<void> tunnel(Exchange& x, upstream::Attempt& server, Duration idle);

/// Puts a new Sec-WebSocket-Key into x.fields, those of the request to the server: the handshake with it is the
/// gateway's own. Returns the key, which is valid as long as the exchange.
std::string_view add_websocket_key(Exchange& x);

/// What is wrong with a server's 101 to a request with this key; null if nothing is.
const char* flaw_of_handshake(const http::ReplyHead& answer, std::string_view key);

/// What the client is told in place of a success that opens nothing: to it, any success says that the WebSocket is
/// open.
Problem websocket_not_opened(Exchange& x);

/// Refuses such a request on a route that opens none.
MaybeProblem refused_websocket(const Exchange& x);

}  // namespace headgate::gateway
