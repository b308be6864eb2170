#pragma once
// A connection that has still to say whose it is before it speaks any protocol: the PROXY header of a trusted peer.

#include "session.hpp"

#include "headgate/core/task.hpp"

#include <chrono>

namespace headgate::gateway {

/// Gives way to a session of the protocol that follows, which takes over what was read beyond the header.
class Arrival final : public Session {
 public:
  /// The header must be whole within `within`.
  Arrival(Sessions& owner, net::ReadBuffer input, Peer peer, Duration within);
  /// Waits for its first byte.
  void begin() override;

 private:
  enum class Next : std::uint8_t { session, idle, close };

  void serve() override;
  Task<void> read();
  Task<Next> read_header();
  Duration left() const noexcept;  // may be none

  headgate::Clock::Steady due_;
};

}  // namespace headgate::gateway
