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

/// One server of an upstream.
struct ServerOptions {
  std::string host;  ///< name or address (IPv6 without brackets)
  std::uint16_t port = 80;
  std::string text;          ///< its name in Host, log and metrics
  std::uint32_t weight = 1;  ///< its share of the requests, relative to the other weights; 1 to balance::kMaxWeight
  bool backup = false;       ///< whether it is chosen only if no server that is no backup may be; at least one is none
  std::uint32_t max_in_flight = 0;  ///< most attempts of the process at the same time; 0: any number
  bool operator==(const ServerOptions&) const = default;
};

/// One upstream.
struct ServerGroupOptions {
  std::string name;
  std::vector<ServerOptions> servers;                           ///< at least one
  const balance::Policy* balance = &balance::default_policy();  ///< which server gets a request
  Duration slow_start{0};  ///< how long a server's share grows to its weight after it came in; 0: it has it at once
  bool http2 = false;      ///< spoken with all servers, else HTTP/1.1
  std::optional<net::TlsOptions> tls;                  ///< of all servers; not set: plain HTTP
  Duration connect_timeout = std::chrono::seconds(1);  ///< for one server, with looking up its name and TLS
  Duration idle_timeout = std::chrono::seconds(30);    ///< a pooled connection is closed after this time without use
  /// A connection is closed when it is given back after this time, or idle then; up to a tenth earlier. 0: whenever.
  Duration connection_lifetime{0};
  Duration resolve_every = std::chrono::seconds(30);    ///< how often the names of servers are looked up
  std::optional<HealthOptions> health{};                ///< not set: servers are not checked
  std::uint32_t max_idle = 64;                          ///< most pooled connections of a worker to each server
  std::uint32_t head_bytes = 64 * 1024;                 ///< largest head of an answer, in bytes; at most 64 KiB
  balance::EjectOptions eject;                          ///< has no effect for one server
  std::optional<balance::CircuitOptions> circuit;       ///< not set: no circuit breaker
  std::optional<shed::ConcurrencyOptions> concurrency;  ///< not set: requests are not counted
  bool operator==(const ServerGroupOptions&) const = default;
};

}  // namespace headgate::upstream
