#pragma once
// What the TLS handshakes of a worker share: whose turn it is, who has how many, and the counters.

#include "headgate/net/tls/handshake_turns.hpp"
#include "headgate/observe/handshake_counters.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <cstdint>
#include <map>

namespace headgate::session {

/// How many handshakes each address has that have not ended. All of an IPv6 block of 64 bits are one: one customer has
/// that many. Worker thread only.
class HandshakeShares {
 public:
  explicit HandshakeShares(std::uint32_t most) noexcept : most_(most) {}
  void allow(std::uint32_t most) noexcept { most_ = most; }
  /// Takes one more for the address; false if it has all of its own. Then nothing is to be left.
  bool enter(const boost::asio::ip::address& address);
  void leave(const boost::asio::ip::address& address);
  /// Names the address, or its block, among those that wait for their turn.
  static std::uint64_t owner_of(const boost::asio::ip::address& address);

 private:
  using Block = std::array<unsigned char, 8>;
  static Block block_of(const boost::asio::ip::address& address);

  std::uint32_t most_;
  std::map<Block, std::uint32_t> counts_;  // no longer than connections are many
};

struct Handshakes {
  net::HandshakeTurns& turns;
  const observe::HandshakeCounters* counters;  ///< null: nothing is counted
  HandshakeShares shares;
};

}  // namespace headgate::session
