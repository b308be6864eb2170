#pragma once
// A connection without TLS that may use HTTP/1.1 or HTTP/2, until its first bytes show which.

#include "../session.hpp"

#include <string_view>

namespace headgate::session {

/// Whether a connection that begins with these bytes uses HTTP/2; `more` if more bytes are needed.
enum class H2Begin : std::uint8_t { no, yes, more };
H2Begin begins_h2(std::string_view bytes) noexcept;

/// The session that waits for the first bytes. The preface has 24 bytes, but its first three already differ from nearly
/// all requests. A session of the protocol then takes over.
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
