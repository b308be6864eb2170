#pragma once
// The client connections of a worker: accepts them, makes their sessions, counts and drains them.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
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

/// How connections begin: with a request, or with a PROXY header before it. The header is read only from a peer that
/// the handler trusts. The bytes of any other peer are read as a request.
enum class Preamble : std::uint8_t { request, proxy_header };

/// A listener as its connections see it: they share it with the listener. Worker thread only.
struct Entrance {
  Preamble preamble = Preamble::request;  ///< of connections that are accepted from now on
  std::uint16_t https_port = 0;           ///< where requests without TLS are sent; 0: they are served
  bool http2 = false;                     ///< without TLS: a connection may begin with the preface of HTTP/2
  net::ServerTlsPtr tls;                  ///< of connections that are accepted from now on; null: they use none
  bool winding_down = false;              ///< every answer has `Connection: close`
  bool draining = false;                  ///< and idle connections are closed
  observe::ListenerCounters counters;     ///< all null: nobody counts
};
using EntrancePtr = std::shared_ptr<Entrance>;

/// Keeps exchanges for the next requests, with the memory of their buffers. Worker thread only.
class ExchangePool {
 public:
  std::unique_ptr<Exchange> take();
  void put(std::unique_ptr<Exchange> exchange);

 private:
  static constexpr std::size_t kMaxSpare = 256;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

/// Chooses the protocol: makes the session of a connection whose client is known.
using MakeSession = Session* (*)(Sessions& owner, net::ReadBuffer input, Peer peer);

/// The default: HTTP/2 where TLS has agreed on it, or where the connection begins with its preface and may; else
/// HTTP/1.1.
Session* session_for(Sessions& owner, net::ReadBuffer input, Peer peer);

/// The sessions of one worker, as those of another worker know them.
struct Neighbour {
  boost::asio::io_context* loop = nullptr;
  Sessions* sessions = nullptr;  ///< for what is posted to the loop
  const net::HandshakeTurns* handshakes = nullptr;
};

/// What all workers count together. Thread-safe.
struct Totals {
  std::atomic<std::uint32_t> connections{0};
  ConnectionBounds bounds;
  net::LentBytes lent;  ///< the bytes in the buffers of connections to clients and servers
  std::mutex neighbours_mutex;
  std::vector<Neighbour> neighbours;  ///< under the mutex
  std::uint32_t joined = 0;           ///< how many there ever were; under the mutex

  /// The TLS handshakes under way of the worker that has the most of them.
  std::size_t handshakes_of_one() noexcept;
};

/// Worker thread only. All workers share the totals, which outlive them.
class Sessions {
 public:
  Sessions(Handler& handler, Clock& clock, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
           Totals& totals, MakeSession make = &session_for);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// Begins to serve a connection. If its address has too many, it is closed before anything else; one of a trusted
  /// proxy counts for the client that its PROXY header names. If there are too many of all, the address with the most
  /// gives up the one that has waited longest, as `Bounds::if_full` says; if it has none that waits, the session
  /// rejects the new one (HTTP/1.1: 503; with TLS it is closed). A PROXY header must be complete within
  /// `timeouts.head`; else the connection is closed without an answer.
  void take(net::StreamPtr stream, EntrancePtr entrance);
  /// What take() needs for TLS. Call it before. `turns` and `counters`, which may be null, outlive this object.
  void shake_hands_by(net::HandshakeTurns& turns, const observe::HandshakeCounters* counters);

  /// From now on a new connection may take the place of one on another worker, and the other way round. `loop` is this
  /// worker's; both live until every worker with these totals has ended.
  void join(boost::asio::io_context& loop);

  /// It has no connection any more, and gets none: nobody waits for its answer. Else its end does that.
  void leave_neighbours() noexcept;

  /// Looks at the connections for an operator, or ends some, and then gives the call what it found. Call join() before.
  void answer(const std::shared_ptr<ConnectionCall>& call);

  /// For waits, heads and connections that begin from now on.
  void use(const Timeouts& timeouts, const Bounds& bounds);

  /// From now on every answer has `Connection: close`, and connections of HTTP/2 are told to end.
  void wind_down();
  /// The same, and idle connections are closed at once.
  void drain();
  /// The same for the connections of one listener; the others live on.
  void drain(Entrance& entrance);
  bool empty() const noexcept;
  /// Closes all connections at once, or those of one listener.
  void close_all(const Entrance* only = nullptr);

 private:
  friend class Session;
  /// Takes a place for the client of a connection. False: it has none left.
  bool admit(Peer& peer);
  /// Whether the buffers of all connections hold as much as they may. Then counts and logs a refusal.
  bool out_of_memory(const Peer& peer);
  enum class Made : std::uint8_t { none, room };
  struct RoomQuestion;
  /// Whose connections may be ended for this one; the heaviest first.
  std::vector<ConnectionBounds::Heavy> who_gives_way(const Peer& newcomer) const;
  bool may_end(const Session& session) const noexcept;
  /// Ends a session of one of these. False: none of theirs waits here.
  bool make_room(const std::vector<ConnectionBounds::Heavy>& from);
  /// Asks the other workers for room. False: nobody can be asked.
  bool park(Session& session, const std::vector<ConnectionBounds::Heavy>& from);
  static void pass_on(const std::shared_ptr<RoomQuestion>& question);
  void unpark(std::uint64_t number, Made made);
  void turn_away(Session& session);
  static void end_now(Session& session) noexcept;
  /// Owns the session until remove().
  Session& keep(Session* session);
  /// Deletes the session, and makes the next one of its connection: for TLS, or of its protocol. `input` may hold its
  /// first bytes.
  void give_way(Session& before, net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls);
  Session* session_of(net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls);
  void uncount(Session& session) noexcept;
  void remove(Session& session) noexcept;
  /// A lingering session is not counted as a connection. If there are too many of them, the oldest is closed.
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
  boost::asio::io_context* loop_ = nullptr;  // after join()
  std::uint32_t worker_ = 0;                 // among those that joined
  bool winding_down_ = false;
  bool draining_ = false;
};

}  // namespace headgate::session
