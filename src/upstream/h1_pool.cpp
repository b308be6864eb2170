#include "h1_pool.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::upstream {

H1Pool::H1Pool(Environment environment, const Options& options, std::size_t at, balance::Server& row)
    : environment_(environment),
      name_(options.servers[at].text),
      options_(options),
      row_(row),
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
  const net::ConnectOptions terms{.whole = options_.connect_timeout};
  auto connected = co_await connector_.connect(terms);
  if (connected.has_error()) {
    const auto why = connected.error().code;
    const bool late = why == boost::asio::error::timed_out;
    co_return Failure{.what = late ? Failed::connect_timeout : Failed::no_connection, .cause = why, .server = name_};
  }
  const H1ConnectionPtr connection(
      new H1Connection(std::move(connected->stream), environment_.blocks, environment_.clock, *this, options_));
  connection->lend();
  co_return connection;
}

void H1Pool::give_back(H1ConnectionPtr connection) {
  connection->take_back();
  if (stopped_ || !connection->reusable() || idle_.size() >= options_.max_idle) return;
  connection->read_buffer_.release();
  // Idle connections are watched, so that a close is seen before the next request is sent.
  connection->stream_->watch(&H1Pool::idle, this, options_.idle_timeout);
  idle_.push_back(std::move(connection));
}

void H1Pool::idle(void* self, net::Stream& stream) {
  auto& idle = static_cast<H1Pool*>(self)->idle_;
  const auto at =
      std::find_if(idle.begin(), idle.end(), [&](const auto& one) { return one->stream_.get() == &stream; });
  if (at != idle.end()) idle.erase(at);
}

void H1Pool::stop() {
  stopped_ = true;
  connector_.stop();
  idle_.clear();
}

}  // namespace headgate::upstream
