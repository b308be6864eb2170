#pragma once
// What nghttp2 calls while it reads and writes the frames of a session.

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>

namespace headgate::net {
class H2Memory;
}

namespace headgate::session {

class H2Session;

/// Whether the client is told that it may send CONNECT with a protocol (RFC 8441). Where it was not told, that is
/// malformed.
enum class ExtendedConnect : std::uint8_t { unknown, taken };

/// A session of nghttp2 for `session`, with our settings queued. Both arguments outlive it. Null: no memory.
nghttp2_session* make_h2(H2Session& session, net::H2Memory& memory, ExtendedConnect connect);

/// Queues the head of an answer; unless it `ends` the stream, its body is that of the stream's reply. The fields are
/// copied. False: there is no such stream.
bool submit_h2_answer(nghttp2_session* h2, std::int32_t id, const nghttp2_nv* fields, std::size_t count,
                      bool ends) noexcept;

}  // namespace headgate::session
