#pragma once
// The handshake of WebSockets over HTTP/1.1 (RFC 6455 section 4), for whoever asks a server in the place of a client.
// Any thread.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// Its name among the protocols of Upgrade, and of CONNECT over HTTP/2 (RFC 8441).
inline constexpr std::string_view kWebSocket = "websocket";

/// A value of Sec-WebSocket-Key: 16 random octets as base64, 24 characters.
std::string websocket_key(std::uint64_t first, std::uint64_t second);

/// The Sec-WebSocket-Accept of a server that has read this key: 28 characters.
std::string websocket_accept(std::string_view key);

}  // namespace headgate::http
