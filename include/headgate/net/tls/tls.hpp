#pragma once
// The client and server handshake of TLS on a stream. Afterwards the stream is used as before, and its bytes are
// encrypted. Used by connect.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/net/tls/tls_session.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::net {

/// The reason why a handshake failed.
struct TlsError {
  error_code code;          ///< timed_out, operation_aborted, eof, protocol_error, or the error of the socket
  bool distrusted = false;  ///< true if the peer's certificate was not trusted
  std::string reason;       ///< reason for people; calls the peer "it"; no full stop
};

/// Runs the TLS handshake on `stream` within `timeout`. Nobody else may use the stream meanwhile, and it must have no
/// unread bytes. `context` decides whether this side is the client or the server. `host` is the name or address that
/// the certificate must be for; empty for a server. `received` has bytes of the handshake that were read before, as
/// after a PROXY header; they must stay valid until the first wait. `session` is for clients that resume sessions;
/// otherwise null. After an error the stream can only be closed.
Task<Result<void, TlsError>> secure(Stream& stream, const TlsContext& context, std::string host,
                                    std::string_view received, Duration timeout,
                                    std::shared_ptr<TlsSession> session = {});

}  // namespace headgate::net
