#pragma once
// Connects to a host by name: resolves the name, connects and, if requested, does the TLS handshake. Never blocks;
// bounded by a deadline. Used by upstream, redis, keyring and cli.

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

/// The TLS, timeouts and order of addresses of one connect().
struct ConnectOptions {
  Duration whole = kForever;  ///< time for the name, all addresses and all handshakes together
  Duration each = kForever;   ///< time for one address and its handshake; at most its share of the time left
  std::shared_ptr<const TlsContext> tls{};  ///< the client's TLS context; null for no TLS
  std::shared_ptr<TlsSession> session{};  ///< with `tls`, the session of this server to resume; null if none is resumed
  std::size_t skip = 0;  ///< number of addresses to skip because they were tried before and did not work
  /// Whether each connect() starts with another address, so that all addresses are used. Addresses that failed within
  /// the last 10 s are tried last. Cannot be combined with `skip`.
  bool in_turn = false;
};

/// An open connection and the position of its address.
struct Connected {
  StreamPtr stream;
  Tcp::endpoint to;
  std::size_t address = 0;  ///< position of the address, counted from 0 in the order of attempts
  bool last = true;         ///< whether this is the last address
  bool resumed = false;     ///< true if a TLS session was resumed
};

/// The reason why no connection was made, for the address where the attempt got furthest.
struct ConnectError {
  enum class At : std::uint8_t { name, address, handshake };
  At at = At::name;
  error_code code;          ///< timed_out, operation_aborted, connection_refused, host_not_found…
  bool distrusted = false;  ///< true if the certificate was not trusted
  std::string reason;       ///< reason for people: as in TlsError for a handshake, otherwise the text of the code
};

/// Resolves one host and port, and connects to its addresses one by one, alternating between the address families (RFC
/// 8305 section 4). Worker thread only.
class Connector {
 public:
  /// `host` is a name or an address, IPv6 without brackets. `loop` and `timers` outlive this object and its calls.
  Connector(boost::asio::io_context& loop, Timers& timers, std::string host, std::uint16_t port);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// Makes a new connection. Resolves the name again if the addresses are older than 30 s or none of them worked; if
  /// this fails, the previous addresses are used. Several calls may be under way. A call goes on if this object is
  /// destroyed.
  Task<Result<Connected, ConnectError>> connect(ConnectOptions options);
  /// Sets the addresses of the host, at least one, for a caller that resolves the name itself. connect() then resolves
  /// the name only if no address worked. Does nothing if the host is an address.
  void use(std::vector<Tcp::endpoint> addresses);
  /// Returns the current step of the latest connect(), for the message of a caller that stopped waiting.
  ConnectError::At at() const noexcept;
  /// Ends the calls under way with operation_aborted.
  void end_calls();
  /// Ends all calls, now and later, with operation_aborted.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Alternates between the two families and keeps the order within each. The family of the first address comes first, so
/// if one family does not work the next try uses the other.
void alternate_families(std::vector<Tcp::endpoint>& addresses);

}  // namespace headgate::net
