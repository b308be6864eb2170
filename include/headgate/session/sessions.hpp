#pragma once
// The client connections of a worker. Sessions accepts, counts and drains them and creates a session for each; server
// uses it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/net/decisions.hpp"
#include "headgate/net/read_buffer.hpp"
#include "headgate/net/tls/server_tls.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/session/connection_bounds.hpp"
#include "headgate/session/connection_call.hpp"
#include "headgate/session/options.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace headgate::net {
class HandshakeTurns;
}
namespace headgate::observe {
class HandshakeCounters;
}

namespace headgate::session {

using gateway::Exchange;
using gateway::Handler;

struct Handshakes;
struct Peer;
class Session;
class Sessions;

/// The first bytes of a connection: a request, or a PROXY header before it. The header is read only if the handler
/// trusts the peer; from any other peer, the first bytes are read as a request.
enum class Preamble : std::uint8_t { request, proxy_header };

/// The settings of a listener, which its connections share with it. Worker thread only.
struct ListenerSettings {
  Preamble preamble = Preamble::request;  ///< the first bytes of new connections
  std::uint16_t https_port = 0;           ///< port to which requests without TLS are redirected; 0 if they are served
  net::AskingProxy asked_by = net::AskingProxy::none;  ///< the proxy that asks for decisions; `none` for clients
  net::ListenProtocol protocol = net::ListenProtocol::http;
  Duration settle_within{0};       ///< time within which decisions must be settled; 0 if they are not settled
  bool certificates_only = false;  ///< true if requests of clients without a verified certificate are refused
  bool http2 = false;              ///< true if a connection without TLS may begin with the HTTP/2 preface
  net::ServerTlsPtr tls;           ///< the TLS of new connections; null if they use none
  /// true if every answer has `Connection: close`, and HTTP/2 clients are told to open a new connection
  bool winding_down = false;
  bool draining = false;               ///< true if idle connections are closed as well
  observe::ListenerCounters counters;  ///< counters of the listener; all null if nothing is counted
};
using ListenerSettingsPtr = std::shared_ptr<ListenerSettings>;

/// A pool of exchanges for the next requests, which keeps the memory of their buffers. Worker thread only.
class ExchangePool {
 public:
  std::unique_ptr<Exchange> take();
  void put(std::unique_ptr<Exchange> exchange);

 private:
  static constexpr std::size_t kMaxSpare = 256;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

/// Creates the session for a connection whose client is known; chooses the protocol.
using MakeSession = Session* (*)(Sessions& owner, net::ReadBuffer input, Peer peer);

/// Creates an HTTP/2 session if TLS has agreed on HTTP/2, or if the connection begins with the preface and the listener
/// allows it; otherwise an HTTP/1.1 session. The default for MakeSession.
Session* session_for(Sessions& owner, net::ReadBuffer input, Peer peer);

/// The sessions of one worker, as other workers see them.
struct Neighbour {
  boost::asio::io_context* loop = nullptr;
  Sessions* sessions = nullptr;  ///< used only to post calls to the loop of that worker
  const net::HandshakeTurns* handshakes = nullptr;
};

/// The counters that all workers share. Thread-safe.
struct Totals {
  std::atomic<std::uint32_t> connections{0};
  ConnectionBounds bounds;
  net::LentBytes lent;  ///< bytes in the buffers of connections to clients and servers
  std::mutex neighbours_mutex;
  std::vector<Neighbour> neighbours;  ///< sessions of all workers; under the mutex
  std::uint32_t joined = 0;           ///< number of workers that ever joined; under the mutex

  /// Returns the number of TLS handshakes under way in the worker that has the most.
  std::size_t handshakes_of_one() noexcept;
};

/// The sessions of one worker. Worker thread only. All workers share `totals`, which outlive the sessions.
class Sessions {
 public:
  Sessions(Handler& handler, Clock& clock, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
           Totals& totals, MakeSession make = &session_for);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// Takes over a new connection. If its address has too many connections, the new connection is closed at once; a
  /// connection of a trusted proxy counts for the client named in its PROXY header. If there are too many connections
  /// in total, the address with the most connections loses the connection that has waited longest (see
  /// `Bounds::if_full`). If that address has no waiting connection, the session rejects the new connection: with 503
  /// over HTTP/1.1, or by closing it if it uses TLS. A connection whose PROXY header is not complete within
  /// `timeouts.head` is closed without an answer.
  void take(net::StreamPtr stream, ListenerSettingsPtr listener);
  /// Sets the queue and counters of TLS handshakes. Call it before take(). `turns` and `counters` outlive this object;
  /// `counters` may be null.
  void shake_hands_by(net::HandshakeTurns& turns, const observe::HandshakeCounters* counters);

  /// Makes this worker and the others neighbours: if there are too many connections, a new connection on any worker may
  /// replace a waiting connection on any other worker. `loop` is the loop of this worker. The loop and this object must
  /// live until every worker with these totals has ended.
  void join(boost::asio::io_context& loop);

  /// Leaves the list of neighbours. Call it only when this worker has no connection and gets no more; otherwise the
  /// destructor leaves the list.
  void leave_neighbours() noexcept;

  /// Lists or ends connections for an operator, then gives the findings to the call. Call join() before.
  void answer(const std::shared_ptr<ConnectionCall>& call);

  /// Sets the timeouts and bounds of waits, request heads and connections that begin after this call.
  void use(const Timeouts& timeouts, const Bounds& bounds);

  /// Adds `Connection: close` to every answer from now on, and tells HTTP/2 clients to open a new connection.
  void wind_down();
  /// Does the same as wind_down(), and also closes idle connections at once.
  void drain();
  /// Drains the connections of one listener only.
  void drain(ListenerSettings& listener);
  bool empty() const noexcept;
  /// Closes all connections at once, or those of one listener.
  void close_all(const ListenerSettings* only = nullptr);

 private:
  friend class Session;
  /// Takes a place for the client of a connection; false if the client has no place left.
  bool admit(Peer& peer);
  /// Returns whether the buffers of all connections are at their bound. If so, counts and logs a refusal.
  bool out_of_memory(const Peer& peer);
  enum class Made : std::uint8_t { none, room };
  struct RoomQuestion;
  /// Returns the addresses that may lose a connection to `newcomer`, the one with the most connections first.
  std::vector<ConnectionBounds::Heavy> who_gives_way(const Peer& newcomer) const;
  bool may_end(const Session& session) const noexcept;
  /// Ends one waiting connection of these addresses; false if none of their connections waits on this worker.
  bool make_room(const std::vector<ConnectionBounds::Heavy>& from);
  /// Asks the other workers to make room; false if there is no worker to ask.
  bool park(Session& session, const std::vector<ConnectionBounds::Heavy>& from);
  static void pass_on(const std::shared_ptr<RoomQuestion>& question);
  void unpark(std::uint64_t number, Made made);
  void turn_away(Session& session);
  static void end_now(Session& session) noexcept;
  /// Takes ownership of the session, until remove() deletes it.
  Session& keep(Session* session);
  /// Deletes the session and creates the next one of its connection, for the TLS handshake or for its protocol. `input`
  /// may hold the first bytes.
  void give_way(Session& before, net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls);
  Session* session_of(net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls);
  void uncount(Session& session) noexcept;
  void remove(Session& session) noexcept;
  /// Moves a session to the lingering ones, which do not count as connections. If there are too many lingering
  /// sessions, closes the oldest.
  void let_linger(Session& session) noexcept;
  struct Lists;
  struct Walk;
  using Walks = std::list<Walk>;
  void walk_on(Walks::iterator walk);
  std::size_t look_at(Session& session, Walk& walk);
  std::size_t count(const Session& session, ConnectionCall::Part& part) const;
  RequestUnderWay described(const Session& session, const Exchange& x, std::uint32_t stream,
                            const ConnectionCall::Wanted& wanted) const;
  std::size_t list(const Session& session, Walk& walk) const;
  void end_request(Session& session, Walk& walk) const;
  std::size_t end_of_address(Session& session, Walk& walk);

  Handler& handler_;
  Clock& clock_;
  net::Blocks& blocks_;
  Timeouts timeouts_;
  Bounds bounds_;
  Totals& totals_;
  MakeSession make_;
  ExchangePool exchanges_;
  std::unique_ptr<Lists> lists_;
  std::unique_ptr<Handshakes> handshakes_;
  static constexpr std::uint32_t kMaxLingering = 1024;
  std::uint32_t lingering_ = 0;
  std::uint64_t numbered_ = 0;
  boost::asio::io_context* loop_ = nullptr;  // set by join()
  std::uint32_t worker_ = 0;                 // position among all workers that ever joined
  bool winding_down_ = false;
  bool draining_ = false;
};

}  // namespace headgate::session
