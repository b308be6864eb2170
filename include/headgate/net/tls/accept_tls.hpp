#pragma once
// The server side of a TLS handshake. Used by session.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls/handshake_turns.hpp"
#include "headgate/net/tls/secured.hpp"
#include "headgate/net/tls/server_tls.hpp"
#include "headgate/net/tls/tls.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::net {

/// Returns the first byte that waits in the socket, and leaves it there. Errors: would_block if there is none yet, eof
/// if none will come.
Result<char> first_byte(const Stream& stream) noexcept;

/// Returns whether a connection that begins with this byte uses plain HTTP rather than TLS.
constexpr bool begins_plain_http(char first) noexcept { return first >= 'A' && first <= 'Z'; }

/// Accepts TLS on `stream`. From its turn to its end, the handshake may take at most `timeout`. Nobody else may use the
/// stream meanwhile. Afterwards the stream is used as before, and its bytes are encrypted. `received` has bytes of the
/// client that were read before, as after a PROXY header; they must stay valid until the end. After an error the stream
/// can only be closed; if possible, an alert has told the client why. `owner` stands for the client's address in the
/// queue of handshakes.
Task<Result<Secured, TlsError>> accept_tls(Stream& stream, ServerTlsPtr server, std::string_view received,
                                           Duration timeout, HandshakeTurns& turns, std::uint64_t owner = 0);

}  // namespace headgate::net
