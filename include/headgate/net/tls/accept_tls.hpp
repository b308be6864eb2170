#pragma once
// The server's side of a TLS handshake.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls/handshake_turns.hpp"
#include "headgate/net/tls/secured.hpp"
#include "headgate/net/tls/server_tls.hpp"
#include "headgate/net/tls/tls.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::net {

/// The first byte that waits in the stream's socket and stays there; a would_block error if there is none yet, eof if
/// none will come.
Result<char> first_byte(const Stream& stream) noexcept;

/// Whether a connection that begins with this byte speaks HTTP and not TLS.
constexpr bool begins_plain_http(char first) noexcept { return first >= 'A' && first <= 'Z'; }

/// Accepts TLS on `stream`, from its turn to its end within `timeout`. Nobody else may use the stream meanwhile. After
/// it the stream is used as before, and its bytes are encrypted. `received`: bytes of the client that were read before,
/// as after a PROXY header; they stay valid until the end. After an error the stream can only be closed; an alert has
/// told the client why, if it could be sent. `owner` names the client's address among those that wait for their turn.
Task<Result<Secured, TlsError>> accept_tls(Stream& stream, ServerTlsPtr server, std::string_view received,
                                           Duration timeout, HandshakeTurns& turns, std::uint64_t owner = 0);

}  // namespace headgate::net
