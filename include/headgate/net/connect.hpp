#pragma once
// Connects to a host by its name: looks the name up, connects and, if asked for, starts TLS. Never blocks; bounded by a
// deadline. Used by upstream, redis, keyring and cli.

#include "headgate/core/task.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/net/tls/tls_session.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace headgate::net {

/// How to connect, and how long it may take.
struct ConnectOptions {
  Duration whole = kForever;  ///< for the name, all addresses and handshakes together
  Duration each = kForever;   ///< for one address with its handshake; never more than its share of the time left
  std::shared_ptr<const TlsContext> tls{};  ///< of a client; null: no TLS
  std::shared_ptr<TlsSession> session{};    ///< with `tls`: of this server, to be resumed; null: none is
  std::size_t skip = 0;  ///< leaves out this many addresses, which were tried before and did not serve
  /// Begins with another address each time, so that all of them are used, and tries those last that failed within the
  /// last 10 s. Not together with `skip`.
  bool in_turn = false;
};

/// An open connection, and which address it goes to.
struct Connected {
  StreamPtr stream;
  Tcp::endpoint to;
  std::size_t address = 0;  ///< its place among the addresses, counted from 0 in the order they are tried
  bool last = true;         ///< whether it is the last address
  bool resumed = false;     ///< whether a TLS session was resumed
};

/// Why no connection was made, at the address where it came furthest.
struct ConnectError {
  enum class At : std::uint8_t { name, address, handshake };
  At at = At::name;
  error_code code;          ///< timed_out, operation_aborted, connection_refused, host_not_found…
  bool distrusted = false;  ///< whether the certificate was not trusted
  std::string reason;       ///< for people: of a handshake as in TlsError, else the text of the code
};

/// Finds the addresses of one host and port and connects to them one by one, the address families alternating (RFC 8305
/// section 4). Worker thread only.
class Connector {
 public:
  /// `host` is a name or an address, IPv6 without brackets. `loop` and `timers` outlive this object and its calls.
  Connector(boost::asio::io_context& loop, Timers& timers, std::string host, std::uint16_t port);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// Makes a new connection. Looks the name up again after 30 s, and after no address served; a look-up that fails
  /// leaves what was found before. May be called again while a call is under way. A call goes on if this object is
  /// destroyed.
  Task<Result<Connected, ConnectError>> connect(ConnectOptions options);
  /// Somebody else looks the name up: its addresses from now on, at least one. Then connect() itself looks it up only
  /// after no address served. Does nothing if the host is an address.
  void use(std::vector<Tcp::endpoint> addresses);
  /// What the connect() that began last is doing. For the message of a caller that stopped waiting.
  ConnectError::At at() const noexcept;
  /// Ends the calls under way with operation_aborted.
  void end_calls();
  /// Ends all calls, now and later, with operation_aborted.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Lets the two families alternate and keeps the order within each. The family of the first address comes first. If one
/// family does not work, the next try uses the other.
void alternate_families(std::vector<Tcp::endpoint>& addresses);

}  // namespace headgate::net
