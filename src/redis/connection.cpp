#include "connection.hpp"

#include "headgate/core/result.hpp"
#include "headgate/redis/command.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto kConnectLimit = 1s;  // for each address
constexpr auto kGreetingLimit = 1s;
constexpr auto kLeastPause = 50ms;  // between attempts
constexpr auto kMostPause = 1000ms;
constexpr auto kSteady = 1s;                                 // a connection that lived this long is replaced at once
constexpr std::size_t kKeptBytes = std::size_t{256} * 1024;  // of the out buffer after a burst

}  // namespace

Connection::Connection(asio::io_context& loop, const Options& options, const Node& node,
                       std::shared_ptr<NodeStats> stats, std::string_view script, std::string_view script_sha)
    : executor_(loop.get_executor()),
      options_(options),
      node_(node),
      stats_(std::move(stats)),
      script_(script),
      script_sha_(script_sha),
      resolver_(executor_),
      socket_(executor_),
      timer_(executor_),
      pause_(kLeastPause),
      random_(std::random_device{}()) {}

void Connection::start(std::shared_ptr<ConnectionOwner> owner) {
  owner_ = std::move(owner);
  resolve();
}

void Connection::stop() {
  stopped_ = true;
  close_socket();
  forget_all();
  resolver_.cancel();
  owner_.reset();
}

template <class Handler>
auto Connection::while_current(Handler handler) {
  return [self = shared_from_this(), life = life_, handler = std::move(handler)](auto&&... results) mutable {
    if (self->life_ == life) handler(std::forward<decltype(results)>(results)...);
  };
}

template <class Handler>
void Connection::after(Clock::duration time, Handler handler) {
  timer_.expires_after(time);
  timer_.async_wait(while_current([handler = std::move(handler)](error_code ec) mutable {
    if (!ec) handler();
  }));
}

// No deadline here: the system's resolver cannot be interrupted, and while it runs nobody waits for more than his own
// call.
void Connection::resolve() {
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
                            if (ec) return lose("the name cannot be resolved: " + ec.message());
                            for (const auto& entry : found) addresses_.push_back(entry.endpoint());
                            connect_next();
                          }));
}

void Connection::connect_next() {
  if (address_ == addresses_.size()) return lose("the name has no address");
  socket_.async_connect(addresses_[address_], while_current([this](error_code ec) {
                          if (ec) return next_address("cannot connect: " + ec.message());
                          greet();
                        }));
  after(kConnectLimit, [this] { next_address("cannot connect: no answer within 1s"); });
}

void Connection::greet() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(Tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  greeting_.clear();
  handshake_.emplace(options_, script_, script_sha_, greeting_);
  since_ = Clock::now();
  asio::async_write(socket_, asio::buffer(greeting_), while_current([this](error_code ec, std::size_t) {
                      if (ec) next_address("cannot write: " + ec.message());
                    }));
  after(kGreetingLimit, [this] { next_address("it accepts connections but does not answer"); });
  read();
}

void Connection::ready() {
  const auto now = Clock::now();
  const auto round_trip = now - std::exchange(since_, now);
  handshake_.reset();
  timer_.cancel();
  ready_ = true;
  stats_->connects.add();
  flush_soon();
  const auto owner = owner_;
  owner->connected(round_trip);
}

void Connection::next_address(const std::string& reason) {
  close_socket();
  if (++address_ == addresses_.size()) return lose(reason);
  connect_next();
}

void Connection::fail(const std::string& reason) { handshake_ ? next_address(reason) : lose(reason); }

void Connection::drop(const std::string& reason) {
  if (!stopped_) lose(reason);
}

void Connection::lose(const std::string& reason) {
  if (ready_ && Clock::now() - since_ >= kSteady) pause_ = 0ms;
  close_socket();
  forget_all();
  connect_later();
  const auto owner = owner_;
  owner->lost(reason);
}

// All gateways lose a restarted server in one moment; the jitter keeps them from coming back in one.
void Connection::connect_later() {
  using std::chrono::microseconds;
  const auto most = std::chrono::duration_cast<microseconds>(pause_).count();
  std::uniform_int_distribution<std::int64_t> between(most / 2, most);
  after(microseconds(between(random_)), [this] { resolve(); });
  pause_ = std::clamp<Clock::duration>(pause_ * 2, kLeastPause, kMostPause);
}

void Connection::close_socket() {
  ++life_;
  ready_ = blocked_ = false;
  handshake_.reset();
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  reader_.reset();
}

void Connection::forget_all() {
  first_place_ += waiting_.size();
  waiting_.clear();
  out_.clear();
  written_ = 0;
}

void Connection::send(std::span<const std::string_view> words, Waiter& waiter) {
  append_command(out_, words);
  waiter.place = first_place_ + waiting_.size();
  waiting_.push_back(&waiter);
  flush_soon();
}

void Connection::forget(const Waiter& waiter) {
  const auto index = waiter.place - first_place_;
  if (waiter.place >= first_place_ && index < waiting_.size() && waiting_[index] == &waiter) waiting_[index] = nullptr;
}

void Connection::flush_soon() {
  if (flush_posted_ || !ready_) return;
  flush_posted_ = true;
  asio::post(executor_, [self = shared_from_this()] {
    self->flush_posted_ = false;
    if (self->ready_ && !self->blocked_) self->flush();
  });
}

void Connection::flush() {
  while (written_ < out_.size()) {
    error_code ec;
    const std::size_t taken = socket_.write_some(asio::buffer(out_.data() + written_, out_.size() - written_), ec);
    if (ec == asio::error::would_block) {
      blocked_ = true;
      socket_.async_wait(Socket::wait_write, while_current([this](error_code) {
                           blocked_ = false;
                           flush();
                         }));
      return;
    }
    if (ec) return lose("cannot write: " + ec.message());
    written_ += taken;
    stats_->writes.add();
  }
  if (out_.capacity() > kKeptBytes) out_ = std::string();
  out_.clear();
  written_ = 0;
}

void Connection::read() {
  socket_.async_read_some(asio::buffer(in_), while_current([this](error_code ec, std::size_t got) {
                            if (!ec) return consume({in_.data(), got}) ? read() : void();
                            fail(ec == asio::error::eof ? "it closed the connection" : "cannot read: " + ec.message());
                          }));
}

/// False where the connection is not the same any more.
bool Connection::consume(std::string_view bytes) {
  const auto life = life_;
  const auto owner = owner_;  // what it does with an answer may end it
  reader_.feed(bytes);
  for (Reply reply; life_ == life;) {
    switch (reader_.next(reply)) {
      case ReplyReader::Next::more:
        return true;
      case ReplyReader::Next::reply:
        take(reply);
        break;
      case ReplyReader::Next::broken:
        fail("it does not speak the protocol of Redis: " + reader_.error());
    }
  }
  return false;
}

void Connection::take(const Reply& reply) {
  if (handshake_) {
    const auto step = handshake_->take(reply);
    if (step == Handshake::Step::failed) return next_address(std::string(handshake_->reason()));
    if (step == Handshake::Step::done) ready();
    return;
  }
  if (waiting_.empty()) return lose("an answer that nothing was asked for");
  Waiter* waiter = waiting_.front();
  waiting_.pop_front();
  ++first_place_;
  owner_->replied(waiter, reply);
}

}  // namespace headgate::redis
