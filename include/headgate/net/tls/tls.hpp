#pragma once
// TLS on a stream. After the handshake the stream is used as before, and its bytes are encrypted.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/net/tls/tls_session.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::net {

/// Why a handshake failed.
struct TlsError {
  error_code code;          ///< timed_out, operation_aborted, eof, protocol_error, or the socket's own
  bool distrusted = false;  ///< whether the peer's certificate was not trusted
  std::string reason;       ///< for people; calls the peer "it"; no full stop
};

/// Runs the TLS handshake on `stream` within `timeout`. Nobody else may use the stream meanwhile, and it must have no
/// unread bytes. `context` says which side we are. `host`: for a client, the name or address that the certificate must
/// be for; empty for a server. `received`: bytes of the handshake that were read before, as after a PROXY header; they
/// stay valid until the first wait. `session`: for a client that wants to resume sessions; else null. After an error
/// the stream can only be closed.
Task<Result<void, TlsError>> secure(Stream& stream, const TlsContext& context, std::string host,
                                    std::string_view received, Duration timeout,
                                    std::shared_ptr<TlsSession> session = {});

}  // namespace headgate::net
