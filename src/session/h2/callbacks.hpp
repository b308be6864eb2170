#pragma once
// The functions that nghttp2 calls while it reads and writes the frames of a session.

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>

namespace headgate::net {
class H2Memory;
}

namespace headgate::session {

class H2Session;

/// Whether the client was told that it may send an extended CONNECT (RFC 8441). If it was not, an extended CONNECT is
/// malformed.
enum class ExtendedConnect : std::uint8_t { unknown, taken };

/// Creates the nghttp2 session of `session`, with the gateway's SETTINGS queued. Both arguments outlive it. Returns
/// null if there is no memory.
nghttp2_session* make_h2(H2Session& session, net::H2Memory& memory, ExtendedConnect connect);

/// Queues the head of an answer. If `ends` is false, a body follows, which the reply of the stream supplies. The fields
/// are copied. Returns false if there is no such stream.
bool submit_h2_answer(nghttp2_session* h2, std::int32_t id, const nghttp2_nv* fields, std::size_t count,
                      bool ends) noexcept;

}  // namespace headgate::session
