#pragma once
// The options of an upstream; config fills them.

#include "headgate/balance/circuit.hpp"
#include "headgate/balance/ejection.hpp"
#include "headgate/core/time.hpp"
#include "headgate/net/tls/tls_options.hpp"
#include "headgate/shed/concurrency.hpp"
#include "headgate/upstream/health_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::balance {
struct Policy;
const Policy& default_policy() noexcept;
}  // namespace headgate::balance

namespace headgate::upstream {

/// A server of an upstream.
struct ServerOptions {
  std::string host;  ///< name or address; IPv6 without brackets
  std::uint16_t port = 80;
  std::string text;          ///< name of the server in Host, log and metrics
  std::uint32_t weight = 1;  ///< share of the requests, relative to the other weights; 1 to balance::kMaxWeight
  /// true if the server is chosen only if no other is available; at least one server of an upstream must not be a
  /// backup
  bool backup = false;
  std::uint32_t max_in_flight = 0;  ///< maximum number of concurrent attempts of all workers; 0 if unlimited
  bool operator==(const ServerOptions&) const = default;
};

/// An upstream.
struct ServerGroupOptions {
  std::string name;
  std::vector<ServerOptions> servers;                           ///< servers, at least one
  const balance::Policy* balance = &balance::default_policy();  ///< the policy that chooses the server of a request
  /// time in which the share of a new or returning server grows to its weight; 0 if the server has its whole share at
  /// once
  Duration slow_start{0};
  bool http2 = false;                  ///< true if all servers use HTTP/2; otherwise they use HTTP/1.1
  std::optional<net::TlsOptions> tls;  ///< TLS of all servers; absent for plain HTTP
  /// timeout for connecting to one server, including resolving its name and TLS
  Duration connect_timeout = std::chrono::seconds(1);
  Duration idle_timeout = std::chrono::seconds(30);  ///< time without use after which a pooled connection is closed
  /// Age at which a connection is closed, when it is given back or while it is idle; shortened by up to a tenth. 0 if
  /// unlimited.
  Duration connection_lifetime{0};
  Duration resolve_every = std::chrono::seconds(30);  ///< interval between resolutions of servers' names
  std::optional<HealthOptions> health{};              ///< health checks; absent if servers are not checked
  std::uint32_t max_idle = 64;                     ///< maximum number of pooled connections of a worker to each server
  std::uint32_t head_bytes = 64 * 1024;            ///< maximum size of an answer's head, in bytes; at most 64 KiB
  balance::EjectOptions eject;                     ///< ejection of failing servers; no effect with a single server
  std::optional<balance::CircuitOptions> circuit;  ///< options of the circuit breaker; absent if there is none
  /// bounds on concurrent requests; absent if requests are not counted
  std::optional<shed::ConcurrencyOptions> concurrency;
  bool operator==(const ServerGroupOptions&) const = default;
};

}  // namespace headgate::upstream
