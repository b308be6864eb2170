#pragma once
// The client connections of a worker: taken in, given to a session of what they speak, counted, drained.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/net/read_buffer.hpp"

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace headgate::gateway {

struct Peer;
class Session;
class Sessions;

/// What connections begin with: a request, or, where the handler trusts whom they come from, a PROXY header before it.
/// What anybody else sends is read as a request whatever it looks like.
enum class Preamble : std::uint8_t { request, proxy_header };

/// Exchanges are lent and come back, so that their buffers stay warm. Worker thread only.
class ExchangePool {
 public:
  std::unique_ptr<Exchange> take();
  void put(std::unique_ptr<Exchange> exchange);

 private:
  static constexpr std::size_t kMaxSpare = 256;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

/// The choice of a protocol: makes the session of a connection that has said whose it is.
using MakeSession = Session* (*)(Sessions& owner, net::ReadBuffer input, Peer peer);

/// HTTP/1.1, for every connection.
Session* session_for(Sessions& owner, net::ReadBuffer input, Peer peer);

/// Worker thread only, but for the count of connections, which all workers share.
class Sessions {
 public:
  /// `total` counts the connections of all workers; `bounds.connections` is theirs together.
  Sessions(Handler& handler, Clock& clock, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
           std::atomic<std::uint32_t>& total, MakeSession make = &session_for);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// Begins to serve a connection; answers 503 and closes it when there are too many. A PROXY header must be whole
  /// within `timeouts.head`, or the connection is closed without a word.
  void take(net::StreamPtr stream, Preamble preamble);

  /// Of what is waited for from now on.
  void use(const Timeouts& timeouts) noexcept { timeouts_ = timeouts; }

  /// From now on every answer says close.
  void wind_down() noexcept { winding_down_ = true; }
  /// And connections at rest are closed at once.
  void drain();
  bool draining() const noexcept { return draining_; }
  bool empty() const noexcept;
  /// Breaks off what is left.
  void close_all();

 private:
  friend class Session;
  /// Keeps it until it is removed.
  Session& keep(Session* session);
  /// An arrival has said whose its connection is, and a session takes its place, beginning with what `input` holds.
  void give_way(Session& arrival, net::ReadBuffer input, Peer peer);
  /// How long a connection that has not asked yet may take to do so.
  Duration patience() const noexcept;
  void uncount(Session& session) noexcept;
  void remove(Session& session) noexcept;
  /// Its place is free for another connection. The one that has lingered longest goes where there are too many.
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
  static constexpr std::uint32_t kMaxLingering = 1024;
  std::uint32_t lingering_ = 0;
  bool winding_down_ = false;
  bool draining_ = false;
};

}  // namespace headgate::gateway
