#pragma once
// A connection without TLS that may speak either protocol, before its first bytes tell which.

#include "../session.hpp"

#include <string_view>

namespace headgate::session {

/// Whether a connection that begins with these bytes speaks HTTP/2.
enum class H2Begin : std::uint8_t { no, yes, more };
H2Begin begins_h2(std::string_view bytes) noexcept;

/// The preface has 24 bytes; the first three tell it from nearly all requests. Then a session of the protocol takes its
/// place.
class H2Opening final : public Session {
 public:
  H2Opening(Sessions& owner, net::ReadBuffer input, Peer peer) : Session(owner, std::move(input), std::move(peer)) {}
  void begin() override;
  /// Answers 503 as HTTP/1.1 and closes: nobody knows yet what the client speaks.
  void reject() override;

 private:
  void serve() override;
  Task<void> read();
};

}  // namespace headgate::session
