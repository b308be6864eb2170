#include "headgate/upstream/upstream.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::upstream {

Server::Server(Environment environment, const ServerOptions& server, const Options& options)
    : environment_(environment),
      name_(server.text),
      options_(options),
      connector_(environment.loop, environment.timers, server.host, server.port) {}

ConnectionPtr Server::take_idle() noexcept {
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    connection->stream().unwatch();
    // The loop may not have told yet of what came since. Bytes that nobody asked for would be read as the next caller's
    // answer, and into an end the request would be sent in vain.
    if (!connection->stream().silent()) continue;
    connection->reused_ = true;
    return connection;
  }
  return nullptr;
}

Task<Result<ConnectionPtr, Failure>> Server::connect() {
  auto connected = co_await connector_.connect(options_.connect_timeout);
  if (connected.has_error()) {
    const bool late = connected.error() == boost::asio::error::timed_out;
    co_return Failure{late ? Failed::connect_timeout : Failed::no_connection, connected.error(), false, "", name_};
  }
  co_return std::make_unique<Connection>(std::move(*connected), environment_.blocks, *this, options_);
}

void Server::give_back(ConnectionPtr connection) {
  if (stopped_ || !connection->reusable() || idle_.size() >= options_.max_idle) return;
  connection->input_.rest();
  // A read stays pending on what rests here, so a close is noticed before the next request is sent into it.
  connection->stream().watch(&Server::rested, this, options_.idle_timeout);
  idle_.push_back(std::move(connection));
}

void Server::rested(void* self, net::Stream& stream) {
  auto& idle = static_cast<Server*>(self)->idle_;
  const auto at = std::find_if(idle.begin(), idle.end(), [&](const auto& one) { return &one->stream() == &stream; });
  if (at != idle.end()) idle.erase(at);
}

void Server::stop() {
  stopped_ = true;
  connector_.stop();
  idle_.clear();
}

Upstream::Upstream(Environment environment, const Options& options) : options_(options) {
  for (const auto& server : options_.servers)
    servers_.push_back(std::make_unique<Server>(environment, server, options_));
}

ConnectionPtr Upstream::take_idle() noexcept {
  auto connection = servers_[turn_ % servers_.size()]->take_idle();
  if (connection) ++turn_;
  return connection;
}

Task<Result<ConnectionPtr, Failure>> Upstream::connect() {
  Failure last;
  for (std::size_t tries = 0; tries < servers_.size(); ++tries) {
    auto connected = co_await servers_[turn_++ % servers_.size()]->connect();
    if (connected.has_value()) co_return connected;
    last = connected.error();
    if (last.cause == boost::asio::error::operation_aborted) break;
  }
  co_return last;
}

void Upstream::stop() {
  for (auto& server : servers_) server->stop();
}

}  // namespace headgate::upstream
