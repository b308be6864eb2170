#pragma once
// The client connections of a worker: accepts them, makes their sessions, counts and drains them.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/net/read_buffer.hpp"
#include "headgate/net/server_tls.hpp"

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace headgate::net {
class HandshakeTurns;
}
namespace headgate::observe {
class HandshakeCounters;
}

namespace headgate::gateway {

struct Handshakes;
struct Peer;
class Session;
class Sessions;

/// How connections begin: with a request, or with a PROXY header before it. The header is read only from a peer that
/// the handler trusts. The bytes of any other peer are read as a request.
enum class Preamble : std::uint8_t { request, proxy_header };

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

/// The default: HTTP/1.1 for every connection.
Session* session_for(Sessions& owner, net::ReadBuffer input, Peer peer);

/// Worker thread only. All workers share the count of connections.
class Sessions {
 public:
  /// `total` counts the connections of all workers together, up to `bounds.connections`.
  Sessions(Handler& handler, Clock& clock, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
           std::atomic<std::uint32_t>& total, MakeSession make = &session_for);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// Begins to serve a connection. If there are too many, its session rejects it (HTTP/1.1: 503). A PROXY header must
  /// be complete within `timeouts.head`; else the connection is closed without an answer. With `tls` the connection
  /// speaks TLS, behind a PROXY header if there is one. `https_port`: where requests without TLS are sent; 0: they are
  /// served.
  void take(net::StreamPtr stream, Preamble preamble, const net::ServerTlsPtr& tls = nullptr,
            std::uint16_t https_port = 0);
  /// What take() with TLS needs. Call it before. `turns` and `counters`, which may be null, outlive this object.
  void shake_hands_by(net::HandshakeTurns& turns, const observe::HandshakeCounters* counters);

  /// For waits that begin from now on.
  void use(const Timeouts& timeouts) noexcept { timeouts_ = timeouts; }

  /// From now on every answer has `Connection: close`.
  void wind_down() noexcept { winding_down_ = true; }
  /// The same, and idle connections are closed at once.
  void drain();
  bool draining() const noexcept { return draining_; }
  bool empty() const noexcept;
  /// Closes all connections at once.
  void close_all();

 private:
  friend class Session;
  /// Owns the session until remove().
  Session& keep(Session* session);
  /// Deletes the session, and makes the next one of its connection: for TLS, or of its protocol. `input` may hold its
  /// first bytes.
  void give_way(Session& before, net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls);
  Session* session_of(net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls);
  /// How long a connection may be idle before its first request.
  Duration patience() const noexcept;
  void uncount(Session& session) noexcept;
  void remove(Session& session) noexcept;
  /// A lingering session is not counted as a connection. If there are too many of them, the oldest is closed.
  void let_linger(Session& session) noexcept;
  struct Lists;

  Handler& handler_;
  Clock& clock_;
  net::Blocks& blocks_;
  Timeouts timeouts_;
  const Bounds& bounds_;
  std::atomic<std::uint32_t>& total_;
  MakeSession make_;
  ExchangePool exchanges_;
  std::unique_ptr<Lists> lists_;
  std::unique_ptr<Handshakes> handshakes_;
  static constexpr std::uint32_t kMaxLingering = 1024;
  std::uint32_t lingering_ = 0;
  bool winding_down_ = false;
  bool draining_ = false;
};

}  // namespace headgate::gateway
