#pragma once
// A connection without TLS, until its first bytes show whether it uses HTTP/1.1 or HTTP/2.

#include "../session.hpp"

#include <string_view>

namespace headgate::session {

/// Whether a connection that begins with these bytes uses HTTP/2; `more` if more bytes are needed.
enum class H2Begin : std::uint8_t { no, yes, more };
H2Begin begins_h2(std::string_view bytes) noexcept;

/// The session that waits for the first bytes. A session of the protocol then takes over. The preface of HTTP/2 has 24
/// bytes, but nearly all HTTP/1.1 requests already differ in the first three bytes.
class H2Opening final : public Session {
 public:
  H2Opening(Sessions& owner, net::ReadBuffer input, Peer peer) : Session(owner, std::move(input), std::move(peer)) {}
  void begin() override;
  /// Answers with an HTTP/1.1 503 and closes, because the protocol of the client is not known yet.
  void reject() override;

 private:
  void serve() override;
  Task<void> read();
};

}  // namespace headgate::session
