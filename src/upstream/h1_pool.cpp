#include "h1_pool.hpp"

#include <algorithm>

namespace headgate::upstream {
namespace {

/// How often an idle connection may be woken by what is no answer: tickets and new keys of TLS. Servers send one or
/// two.
constexpr unsigned kWakes = 16;

}  // namespace

H1Pool::H1Pool(Environment environment, const Options& options, std::size_t at, balance::Server& row, const TlsUse& tls)
    : environment_(environment),
      name_(options.servers[at].text),
      options_(options),
      row_(row),
      tls_(tls),
      session_(tls.context ? std::make_shared<net::TlsSession>() : nullptr),
      handshakes_(tls, environment.clock, options.name, name_),
      connector_(environment.loop, environment.timers, options.servers[at].host, options.servers[at].port) {}

H1ConnectionPtr H1Pool::take_idle() noexcept {
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    connection->stream_->unwatch();
    // Something may have come that the loop has not reported yet. Unrequested bytes would be read as the answer to the
    // next request; on a closed connection that request would fail.
    if (!connection->stream_->silent()) continue;
    connection->reused_ = true;
    connection->lend();
    return connection;
  }
  return nullptr;
}

Task<Result<H1ConnectionPtr, Failure>> H1Pool::connect() {
  const net::ConnectOptions terms{.whole = options_.connect_timeout, .tls = tls_.context, .session = session_};
  auto connected = co_await connector_.connect(terms);
  if (connected.has_error()) co_return handshakes_.failed(connected.error());
  handshakes_.connected(connected->resumed);
  const H1ConnectionPtr connection(
      new H1Connection(std::move(connected->stream), environment_.blocks, environment_.clock, *this, options_));
  connection->lend();
  co_return connection;
}

void H1Pool::give_back(H1ConnectionPtr connection) {
  connection->take_back();
  if (stopped_ || !connection->reusable() || idle_.size() >= options_.max_idle) return;
  connection->read_buffer_.release();
  if (tls_.context) connection->begin_idle(environment_.clock.steady() + options_.idle_timeout);
  // Idle connections are watched, so that a close is seen before the next request is sent.
  connection->stream_->watch(&H1Pool::idle, this, options_.idle_timeout);
  idle_.push_back(std::move(connection));
}

void H1Pool::idle(void* self, net::Stream& stream) {
  auto& pool = *static_cast<H1Pool*>(self);
  auto& idle = pool.idle_;
  const auto at =
      std::find_if(idle.begin(), idle.end(), [&](const auto& one) { return one->stream_.get() == &stream; });
  if (at == idle.end() || pool.stays_idle(**at)) return;
  idle.erase(at);
}

/// Over TLS something may come that is no byte for us. The idle timeout goes on.
bool H1Pool::stays_idle(H1Connection& connection) {
  auto& stream = *connection.stream_;
  if (!tls_.context || stream.timed_out() || ++connection.wakes_ > kWakes || !stream.silent()) return false;
  const auto left = std::chrono::duration_cast<Duration>(connection.idle_until_ - environment_.clock.steady());
  if (left <= Duration(0)) return false;
  stream.watch(&H1Pool::idle, this, left);
  return true;
}

void H1Pool::stop() {
  stopped_ = true;
  connector_.stop();
  idle_.clear();
}

}  // namespace headgate::upstream
