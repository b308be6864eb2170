#pragma once
// A connection of a TLS listener until its handshake has ended.

#include "session.hpp"

#include "headgate/core/task.hpp"
#include "headgate/net/tls/accept_tls.hpp"
#include "headgate/observe/handshake_counters.hpp"

namespace headgate::session {

/// The session of the handshake. Afterwards a session of the protocol takes over. Before the first byte it holds no TLS
/// state.
class TlsHandshake final : public Session {
 public:
  /// Makes a session that closes the connection if the handshake has not ended after timeouts().handshake.
  TlsHandshake(Sessions& owner, net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls);
  void begin() override;

 private:
  enum class Next : std::uint8_t { session, idle, linger, close };

  void serve() override;
  Task<void> run();
  Task<Next> shake_hands();
  Next refuse_plain_http();
  Next failed(const net::TlsError& error);
  void count(observe::HandshakeResult result, std::string_view version = {}) const;
  Duration left() const noexcept;  // Returns the time left; never negative.

  net::ServerTlsPtr tls_;
  headgate::Clock::Steady due_;
};

}  // namespace headgate::session
