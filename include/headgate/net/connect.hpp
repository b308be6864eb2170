#pragma once
// Connecting by name, once for all that is connected to: resolved, connected and, where it is asked for, secured,
// without blocking and within a deadline. Used by upstream, redis, keyring and cli.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls_context.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace headgate::net {

/// What a connection is to be, and how long it may take.
struct ConnectTerms {
  Duration whole = kForever;  ///< for name, addresses and handshakes together
  Duration each = kForever;   ///< for one address, its handshake included; never more than its share of what is left
  std::shared_ptr<const TlsContext> tls{};  ///< a client's; null: bytes go as they are
  std::size_t skip = 0;                     ///< so many addresses were found not to be what is looked for
};

struct Connected {
  StreamPtr stream;
  std::size_t address = 0;  ///< which one it is, counted from 0 in the order they are tried
  bool last = true;         ///< whether no other follows it
};

/// Of the address that came furthest.
struct ConnectError {
  enum class At : std::uint8_t { name, address, handshake };
  At at = At::name;
  error_code code;          ///< timed_out, operation_aborted, connection_refused, host_not_found…
  bool distrusted = false;  ///< for the certificate
  std::string reason;       ///< of a handshake: see TlsError; else the code's own words
};

/// Finds the addresses of one host and port, and connects to them in turn, the two families alternating (RFC 8305
/// section 4). Worker thread only.
class Connector {
 public:
  /// `host` is a name or an address; IPv6 without brackets.
  Connector(boost::asio::io_context& loop, Timers& timers, std::string host, std::uint16_t port);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// A new connection. Names are resolved anew after 30 s, and after no address would do. May be called again while it
  /// is under way; goes on where this object dies.
  Task<Result<Connected, ConnectError>> connect(ConnectTerms terms);
  /// What connect() is doing now, for who gave up waiting; of the one that began last.
  ConnectError::At at() const noexcept;
  /// Fails what is under way, and whatever follows.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Keeps the order within each family and lets them take turns, that of the first address first: where one family does
/// not work, the next try is of the other.
void alternate_families(std::vector<Tcp::endpoint>& addresses);

}  // namespace headgate::net
