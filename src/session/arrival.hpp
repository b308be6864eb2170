#pragma once
// A connection of a trusted proxy before its PROXY header was read.

#include "session.hpp"

#include "headgate/core/task.hpp"

#include <chrono>

namespace headgate::session {

/// After the header the TLS handshake or a session of the protocol takes its place, with the bytes that were read after
/// the header.
class Arrival final : public Session {
 public:
  /// The header must be complete within `within`.
  Arrival(Sessions& owner, net::ReadBuffer input, Peer peer, Duration within, net::ServerTlsPtr tls);
  /// Waits for the first byte.
  void begin() override;

 private:
  enum class Next : std::uint8_t { session, idle, close };

  void serve() override;
  Task<void> read();
  Task<Next> read_header();
  Duration left() const noexcept;  // of the time for the header; never below 0

  net::ServerTlsPtr tls_;  // of what follows; null: none
  headgate::Clock::Steady due_;
};

}  // namespace headgate::session
