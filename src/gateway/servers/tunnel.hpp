#pragma once
// Tunnels: relays bytes in both directions after 101 Switching Protocols. Also translates a WebSocket that a client
// opens with CONNECT (RFC 8441) into a request for an HTTP/1.1 server, and checks the server's answer.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/upstream/attempt.hpp"

#include <string_view>

namespace headgate::gateway {

/// Relays until both directions have ended, one of them has failed, or no byte came in either direction for `idle`.
Task<void> tunnel(Exchange& x, upstream::Attempt& server, Duration idle);

/// Puts a new Sec-WebSocket-Key into x.fields, which are for the server, because the gateway makes its own handshake.
/// Returns the key, which is valid as long as the exchange.
std::string_view add_websocket_key(Exchange& x);

/// Returns the fault in a server's 101 to a request with this key; null if there is none.
const char* flaw_of_handshake(const http::ReplyHead& answer, std::string_view key);

/// Returns the problem that replaces a successful answer of a server that opened no WebSocket, because the client would
/// take any success for an open WebSocket.
Problem websocket_not_opened(Exchange& x);

/// Refuses a request that would open a WebSocket with CONNECT, on a route that opens no WebSockets.
MaybeProblem refused_websocket(const Exchange& x);

}  // namespace headgate::gateway
