#pragma once
// State that the TLS handshakes of a worker share: their queue, their number for each address, and their counters.

#include "headgate/net/tls/handshake_turns.hpp"
#include "headgate/observe/handshake_counters.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <cstdint>
#include <map>

namespace headgate::session {

/// Number of handshakes under way or waiting for each address. An IPv6 block with a prefix of 64 bits counts as one
/// address, because one customer usually has a whole block. Worker thread only.
class HandshakeShares {
 public:
  explicit HandshakeShares(std::uint32_t most) noexcept : most_(most) {}
  void allow(std::uint32_t most) noexcept { most_ = most; }
  /// Takes a share for the address. Returns false if the address already has all its shares; leave() must not be called
  /// then.
  bool enter(const boost::asio::ip::address& address);
  void leave(const boost::asio::ip::address& address);
  /// Returns the number that identifies the address, or its IPv6 block, in the queue of handshakes.
  static std::uint64_t owner_of(const boost::asio::ip::address& address);

 private:
  using Block = std::array<unsigned char, 8>;
  static Block block_of(const boost::asio::ip::address& address);

  std::uint32_t most_;
  std::map<Block, std::uint32_t> counts_;  // bounded by the number of connections
};

struct Handshakes {
  net::HandshakeTurns& turns;
  const observe::HandshakeCounters* counters;  ///< null if nothing is counted
  HandshakeShares shares;
};

}  // namespace headgate::session
