#pragma once
// TLS on a stream: after its handshake the stream is read and written as before, and what goes over the wire is sealed.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls_context.hpp"

#include <string>
#include <string_view>

namespace headgate::net {

/// Why a handshake did not come to its end.
struct TlsError {
  error_code code;          ///< timed_out, operation_aborted, eof, protocol_error, or the socket's own
  bool distrusted = false;  ///< for the other side's certificate
  std::string reason;       ///< for people, about the other side as "it"; no full stop
};

/// Shakes hands over `stream`, on which nothing is unread and nobody waits, within `timeout`; from then on all its
/// bytes are sealed. `context` says which side we are. `host`: what a client connected to, a name or an address, which
/// the certificate must be for; a server has none. `received`: what was read before that belongs to the handshake, as
/// behind a PROXY header. After an error the stream is only good for being closed.
Task<Result<void, TlsError>> secure(Stream& stream, const TlsContext& context, std::string host,
                                    std::string_view received, Duration timeout);

}  // namespace headgate::net
