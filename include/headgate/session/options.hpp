#pragma once
// The options of client connections: how long each of their phases may take, and how many there may be. config fills
// them.

#include "headgate/core/time.hpp"
#include "headgate/http/head_bounds.hpp"
#include "headgate/http/path.hpp"
#include "headgate/identity/network.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace headgate::session {

/// One timeout for each phase; none is for the whole request.
struct Timeouts {
  Duration handshake = std::chrono::seconds(10);  ///< from a new connection to the end of its TLS handshake
  Duration idle = std::chrono::seconds(60);       ///< an open client connection without a request
  Duration head = std::chrono::seconds(10);       ///< from the first byte of a request to the end of its head
  Duration body = std::chrono::seconds(10);       ///< longest wait for a byte of a request's body
  Duration write = std::chrono::seconds(10);      ///< longest wait for the peer to accept a byte
  Duration tunnel = std::chrono::minutes(10);     ///< longest time without a byte in either direction of a tunnel
  bool operator==(const Timeouts&) const = default;
};

/// How many connections may begin in a time.
struct ConnectionRate {
  std::uint32_t count = 0;  ///< also how many may begin at once; 0: any number
  Duration period{0};
};

/// Which connections may be ended for a new one beyond the most that there may be: always of the address that has the
/// most, and the one that has waited longest. If there is none, the new one is answered with 503 and closed.
enum class IfFull : std::uint8_t {
  end_idle,     ///< those without a complete request
  end_waiting,  ///< also those whose exchange waits for its client: for a body, or until it reads
};

/// Bounds on requests and connections.
struct Bounds {
  http::HeadBounds head;                       ///< of each request
  std::uint32_t connections = 10'000;          ///< client connections of all workers together; see IfFull for more
  std::uint32_t handshakes = 1'000;            ///< TLS handshakes that a worker has under way; further ones wait
  std::uint32_t handshakes_per_address = 100;  ///< of these and of those that wait, of one address; more are closed
  std::uint32_t connections_per_address = 0;   ///< of one client; more are closed without an answer; 0: any number
  ConnectionRate connection_rate;              ///< of one client; more are closed without an answer
  std::vector<identity::Network> exempt;       ///< addresses without these two bounds
  unsigned ipv6_prefix = 64;                   ///< bits of an IPv6 address that are one client
  std::uint64_t buffered = 0;  ///< bytes in the buffers of all connections; beyond it new requests get a 503; 0: any
  http::Paths paths = http::Paths::normalised;  ///< how requests' paths are read
  IfFull if_full = IfFull::end_idle;            ///< beyond `connections`
};

}  // namespace headgate::session
