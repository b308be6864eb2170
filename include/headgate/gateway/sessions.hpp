#pragma once
// The client connections of a worker: taken in, counted, drained.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/net/input.hpp"

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace headgate::gateway {

class H1Session;

/// What connections begin with: a request, or, where the handler trusts whom they come from, a PROXY header before it.
/// What anybody else sends is read as a request whatever it looks like.
enum class Opening : std::uint8_t { request, proxy_header };

/// Exchanges are lent and come back, so that their buffers stay warm. Worker thread only.
class ExchangePool {
 public:
  std::unique_ptr<Exchange> take();
  void put(std::unique_ptr<Exchange> exchange);

 private:
  static constexpr std::size_t kMostSpare = 256;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

/// Worker thread only, but for the count of connections, which all workers share.
class Sessions {
 public:
  /// `total` counts the connections of all workers; `bounds.connections` is theirs together.
  Sessions(Handler& handler, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
           std::atomic<std::uint32_t>& total);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// Begins to serve a connection; answers 503 and closes it when there are too many. A PROXY header must be whole
  /// within `timeouts.head`, or the connection is closed without a word.
  void take(net::StreamPtr stream, Opening opening);

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
  friend class H1Session;
  void uncount(H1Session& session) noexcept;
  void remove(H1Session& session) noexcept;
  /// Its place is free for another connection. The one that has lingered longest goes where there are too many.
  void let_linger(H1Session& session) noexcept;
  struct Lists;

  Handler& handler_;
  net::Blocks& blocks_;
  Timeouts timeouts_;
  const Bounds& bounds_;
  std::atomic<std::uint32_t>& total_;
  ExchangePool exchanges_;
  std::unique_ptr<Lists> lists_;
  static constexpr std::uint32_t kMostLingering = 1024;
  std::uint32_t lingering_ = 0;
  bool winding_down_ = false;
  bool draining_ = false;
};

}  // namespace headgate::gateway
