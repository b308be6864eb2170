#include "link.hpp"

#include "headgate/core/result.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace headgate::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto kConnectLimit = 1s;                // for each address, TLS included
constexpr std::size_t kKeptBytes = 256UL * 1024;  // of a buffer after a burst

}  // namespace

Link::Link(asio::io_context& loop, std::shared_ptr<const Setup> setup)
    : executor_(loop.get_executor()),
      setup_(std::move(setup)),
      resolver_(executor_),
      socket_(executor_),
      timer_(executor_) {}

template <class Handler>
auto Link::while_current(Handler handler) {
  return [self = shared_from_this(), life = life_, handler = std::move(handler)](auto&&... results) mutable {
    if (self->life_ == life) handler(std::forward<decltype(results)>(results)...);
  };
}

void Link::open(const Node& node, std::shared_ptr<LinkUser> user) {
  close();
  node_ = node;
  user_ = std::move(user);
  if (setup_->tls_error.empty()) return resolve();
  asio::post(executor_, while_current([this] { end("TLS cannot be used: " + setup_->tls_error); }));
}

void Link::close() {
  close_socket();
  resolver_.cancel();
  user_.reset();
}

void Link::close_socket() {
  ++life_;
  kept_ = blocked_ = secured_ = false;
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  tls_.reset();
  pending_.clear();
}

void Link::give_up(const std::string& reason) {
  const bool try_next = !kept_ && address_ + 1 < addresses_.size();
  if (!try_next) return end(reason);
  close_socket();
  ++address_;
  connect_next();
}

void Link::end(const std::string& reason) {
  const auto user = user_;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it may lie in what is closed now
  const std::string why = reason;
  close();
  if (user) user->closed(why);
}

// No deadline here: the system's resolver cannot be interrupted, and while it runs nobody waits for more than his own
// call.
void Link::resolve() {
  addresses_.clear();
  address_ = 0;
  error_code not_numeric;
  const auto numeric = asio::ip::make_address(node_.host, not_numeric);
  if (!not_numeric) {
    addresses_.emplace_back(numeric, node_.port);
    return connect_next();
  }
  resolver_.async_resolve(node_.host, std::to_string(node_.port), Resolver::numeric_service,
                          while_current([this](error_code ec, const Resolver::results_type& found) {
                            if (ec) return end("the name cannot be resolved: " + ec.message());
                            for (const auto& entry : found) addresses_.push_back(entry.endpoint());
                            if (addresses_.empty()) return end("the name has no address");
                            connect_next();
                          }));
}

void Link::connect_next() {
  socket_.async_connect(addresses_[address_], while_current([this](error_code ec) {
                          if (ec) return give_up("cannot connect: " + ec.message());
                          connected();
                        }));
  timer_.expires_after(kConnectLimit);
  timer_.async_wait(while_current([this](error_code ec) {
    if (!ec) give_up(tls_ ? "it does not answer to TLS within 1s" : "cannot connect: no answer within 1s");
  }));
}

void Link::connected() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(Tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  if (!setup_->tls) return settled();
  tls_.emplace(*setup_->tls, node_.host);
  shake_hands();
}

void Link::shake_hands() {
  const auto life = life_;
  const auto step = tls_->handshake();
  tls_->drain(pending_);  // also where it failed: an alert tells the other side why
  flush_pending();
  if (life_ != life) return;
  if (step == TlsChannel::Step::failed) return give_up(tls_->reason());
  if (step == TlsChannel::Step::more) return read();
  secured_ = true;
  settled();
}

void Link::settled() {
  timer_.cancel();
  const auto life = life_;
  const auto user = user_;
  user->opened();
  if (life_ != life) return;
  if (tls_) decrypt();  // the server may have spoken together with the end of the handshake
  if (life_ == life) read();
}

void Link::read() {
  socket_.async_read_some(asio::buffer(in_), while_current([this](error_code ec, std::size_t got) {
                            if (ec == asio::error::eof) return give_up("it closed the connection");
                            if (ec) return give_up("cannot read: " + ec.message());
                            deliver({in_.data(), got});
                          }));
}

void Link::deliver(std::string_view bytes) {
  const auto life = life_;
  const auto user = user_;  // what it does with an answer may end it
  if (!tls_) {
    user->received(bytes);
  } else {
    tls_->feed(bytes);
    if (!secured_) return shake_hands();
    decrypt();
  }
  if (life_ == life) read();
}

void Link::decrypt() {
  const auto life = life_;
  const auto user = user_;
  std::size_t got = 0;
  while (life_ == life) {
    switch (tls_->open(in_, got)) {
      case TlsChannel::Step::done:
        user->received({in_.data(), got});
        break;
      case TlsChannel::Step::more:
        tls_->drain(pending_);  // a change of keys is to be answered
        return flush_pending();
      case TlsChannel::Step::failed:
        return give_up(tls_->reason());
    }
  }
}

void Link::write(std::string_view bytes) {
  if (tls_) {
    if (!tls_->seal(bytes)) return give_up(tls_->reason());
    tls_->drain(pending_);
    return flush_pending();
  }
  std::size_t taken = 0;
  if (pending_.empty() && !flush(bytes, taken)) return;
  pending_.append(bytes.substr(taken));
}

/// False where the connection was lost on the way.
bool Link::flush(std::string_view bytes, std::size_t& taken) {
  while (!blocked_ && taken < bytes.size()) {
    error_code ec;
    taken += socket_.write_some(asio::buffer(bytes.data() + taken, bytes.size() - taken), ec);
    if (ec == asio::error::would_block) {
      blocked_ = true;
      socket_.async_wait(Socket::wait_write, while_current([this](error_code) {
                           blocked_ = false;
                           flush_pending();
                         }));
    } else if (ec) {
      // With TLS an alert that tells why may still be there to be read; the read fails in any case.
      if (!tls_) give_up("cannot write: " + ec.message());
      return false;
    } else {
      user_->wrote();
    }
  }
  return true;
}

void Link::flush_pending() {
  std::size_t taken = 0;
  if (pending_.empty() || blocked_ || !flush(pending_, taken)) return;
  pending_.erase(0, taken);
  if (pending_.empty() && pending_.capacity() > kKeptBytes) pending_ = std::string();
}

}  // namespace headgate::redis
