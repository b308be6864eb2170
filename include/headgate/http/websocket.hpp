#pragma once
// The WebSocket handshake over HTTP/1.1 (RFC 6455 section 4), for connections that the gateway makes to a server on
// behalf of an HTTP/2 client. Any thread. Used by gateway.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// The protocol name in Upgrade, and in CONNECT over HTTP/2 (RFC 8441).
inline constexpr std::string_view kWebSocket = "websocket";

/// Returns a value for Sec-WebSocket-Key: 16 random octets as base64, 24 characters.
std::string websocket_key(std::uint64_t first, std::uint64_t second);

/// Returns the Sec-WebSocket-Accept value for this key: 28 characters.
std::string websocket_accept(std::string_view key);

}  // namespace headgate::http
