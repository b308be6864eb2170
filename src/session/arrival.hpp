#pragma once
// A connection of a trusted proxy until its PROXY header has been read.

#include "session.hpp"

#include "headgate/core/task.hpp"

#include <chrono>

namespace headgate::session {

/// The session that reads the PROXY header. The TLS handshake or a session of the protocol then takes over, with the
/// bytes that followed the header.
class Arrival final : public Session {
 public:
  /// Makes a session that closes the connection if the header is not complete after `within`.
  Arrival(Sessions& owner, net::ReadBuffer input, Peer peer, Duration within, net::ServerTlsPtr tls);
  /// Waits for the first byte.
  void begin() override;

 private:
  enum class Next : std::uint8_t { session, idle, close };

  void serve() override;
  Task<void> read();
  Task<Next> read_header();
  Duration left() const noexcept;  // Returns the time left for the header; never negative.

  net::ServerTlsPtr tls_;  // settings for the TLS handshake after the header; null if there is no handshake
  headgate::Clock::Steady due_;
};

}  // namespace headgate::session
