#pragma once
// The options of client connections: a timeout for each phase, and bounds on their number. config fills them.

#include "headgate/core/time.hpp"
#include "headgate/http/head_bounds.hpp"
#include "headgate/http/path.hpp"
#include "headgate/identity/network.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace headgate::session {

/// Timeouts, one for each phase of a connection. A request as a whole has no timeout.
struct Timeouts {
  Duration handshake = std::chrono::seconds(10);  ///< time from accepting a connection to the end of its TLS handshake
  Duration idle = std::chrono::seconds(60);       ///< time for which a connection may have no request
  Duration head = std::chrono::seconds(10);       ///< time from the first byte of a request to the end of its head
  Duration body = std::chrono::seconds(10);       ///< longest wait for the next byte of a request body
  Duration write = std::chrono::seconds(10);      ///< longest wait until the client accepts another byte
  Duration tunnel = std::chrono::minutes(10);     ///< longest time without a byte in either direction of a tunnel
  bool operator==(const Timeouts&) const = default;
};

/// The number of connections that may begin within a period.
struct ConnectionRate {
  std::uint32_t count = 0;  ///< number of connections, also of those that may begin at once; 0 if unlimited
  Duration period{0};
};

/// Selects the connections that may be ended to make room once Bounds::connections is reached. Among the connections of
/// the address with the most connections, the one that has waited longest is ended. If none may be ended, the new
/// connection is answered with 503 and closed.
enum class IfFull : std::uint8_t {
  end_idle,     ///< connections without a complete request
  end_waiting,  ///< in addition, connections whose exchange waits for the client to send its body or to read
};

/// Bounds on requests and connections.
struct Bounds {
  http::HeadBounds head;  ///< bounds of each request head
  /// maximum number of client connections of all workers together; IfFull says what happens when it is reached
  std::uint32_t connections = 10'000;
  std::uint32_t handshakes = 1'000;  ///< TLS handshakes under way in one worker; further ones wait
  /// TLS handshakes of one address, under way or waiting; further connections are closed
  std::uint32_t handshakes_per_address = 100;
  /// connections of one client; further ones are closed without an answer; 0 if unlimited
  std::uint32_t connections_per_address = 0;
  ConnectionRate connection_rate;         ///< new connections of one client; further ones are closed without an answer
  std::vector<identity::Network> exempt;  ///< addresses that the two bounds above do not apply to
  unsigned ipv6_prefix = 64;              ///< prefix length in bits: IPv6 addresses with the same prefix are one client
  /// bytes in the buffers of all connections; beyond this number, new requests get a 503; 0 if unlimited
  std::uint64_t buffered = 0;
  http::Paths paths = http::Paths::normalised;  ///< treatment of the paths of requests
  IfFull if_full = IfFull::end_idle;            ///< treatment of new connections when `connections` is reached
};

}  // namespace headgate::session
