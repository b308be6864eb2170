#include "link.hpp"

#include "headgate/core/result.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace headgate::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using At = net::ConnectError::At;

constexpr auto kConnectLimit = 1s;                 // for each address, including TLS
constexpr std::size_t kKeptBuffer = 256UL * 1024;  // maximum size of a buffer that is kept after a burst
constexpr unsigned kReadsATurn = 4;

std::string words_of(const net::ConnectError& why) {
  const bool late = why.code == asio::error::timed_out;
  if (why.at == At::name) return "the name cannot be resolved: " + why.reason;
  if (why.at == At::address) return "cannot connect: " + (late ? std::string("no answer within 1s") : why.reason);
  if (late) return "the TLS handshake did not end within 1s";
  return (why.code == asio::error::eof ? "" : "TLS: ") + why.reason;
}

}  // namespace

Link::Link(asio::io_context& loop, std::shared_ptr<const Setup> setup) : loop_(loop), setup_(std::move(setup)) {}

Link::~Link() { close(); }

void Link::open(const RedisNode& node, std::shared_ptr<LinkUser> user) {
  close();
  user_ = std::move(user);
  if (setup_->tls_error.empty()) {
    connector_.emplace(loop_, net::Timers::of(loop_), node.host, node.port);
    return start(0);
  }
  asio::post(loop_, [self = shared_from_this(), life = life_] {
    if (self->life_ == life) self->end("TLS cannot be used: " + self->setup_->tls_error);
  });
}

void Link::close() {
  close_stream();
  if (connector_) connector_->stop();
  connector_.reset();
  user_.reset();
}

void Link::close_stream() {
  ++life_;
  kept_ = writing_ = false;
  pending_.clear();
  leaving_.clear();
  if (const auto stream = std::exchange(stream_, nullptr)) stream->close();
}

void Link::give_up(const std::string& reason) {
  if (kept_ || last_address_ || !connector_) return end(reason);
  close_stream();
  start(next_address_);
}

void Link::end(const std::string& reason) {
  const auto user = user_;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it may lie in what is closed now
  const std::string why = reason;
  close();
  if (user) user->closed(why);
}

void Link::start(std::size_t skip) { spawn(connect(shared_from_this(), life_, skip), "redis connection"); }

// Connects. The look-up of the name has no deadline, because the system's resolver cannot be interrupted. Meanwhile,
// each call waits only until its own deadline.
Task<void> Link::connect(std::shared_ptr<Link> self, std::uint64_t life, std::size_t skip) {
  const net::ConnectOptions terms{.each = kConnectLimit, .tls = self->setup_->tls, .skip = skip};
  const auto connected = co_await self->connector_->connect(terms);
  if (self->life_ != life) co_return;
  if (connected.has_error()) co_return self->end(words_of(connected.error()));
  self->settled(*connected);
}

void Link::settled(const net::Connected& connected) {
  stream_ = connected.stream;
  stream_->keep_alive();
  next_address_ = connected.address + 1;
  last_address_ = connected.last;
  const auto life = life_;
  const auto user = user_;
  user->opened();
  if (life_ == life) stream_->watch(&Link::readable, this);
}

void Link::readable(void* self, net::Stream&) {
  const auto link = static_cast<Link*>(self)->shared_from_this();
  link->read();
}

void Link::read() {
  const auto life = life_;
  const auto stream = stream_;
  const auto user = user_;  // the user's reaction to an answer may end this link
  for (unsigned reads = 0; life_ == life && reads < kReadsATurn; ++reads) {
    const auto got = stream->read_now(in_);
    if (got.has_error() && got.error() == asio::error::would_block) break;
    if (got.has_error()) return give_up(why_unread(got.error()));
    user->received({in_.data(), *got});
    if (life_ == life && !stream->transport().readable()) break;
  }
  if (life_ == life) stream->watch(&Link::readable, this);
}

std::string Link::why_unread(const error_code& ec) const {
  if (ec == asio::error::eof || ec == asio::error::connection_aborted) return "it closed the connection";
  const auto reason = stream_->transport().reason();
  return reason.empty() ? "cannot read: " + ec.message() : "TLS: " + std::string(reason);
}

void Link::write(std::string_view bytes) {
  if (!stream_) return;
  if (writing_) {
    pending_.append(bytes);
    return;
  }
  while (!bytes.empty()) {
    const auto sent = stream_->write_some(bytes);
    if (sent.has_error() && sent.error() == asio::error::would_block) break;
    if (sent.has_error()) {
      // With TLS, an alert with the reason may still be unread. The link then ends when the next read fails.
      if (!setup_->tls) give_up("cannot write: " + sent.error().message());
      return;
    }
    bytes.remove_prefix(*sent);
    user_->wrote();
  }
  if (bytes.empty()) return;
  leaving_.assign(bytes);
  writing_ = true;
  spawn(write_rest(shared_from_this(), life_), "redis write");
}

Task<void> Link::write_rest(std::shared_ptr<Link> self, std::uint64_t life) {
  const auto stream = self->stream_;
  while (!self->leaving_.empty()) {
    const std::array<std::string_view, 1> pieces{self->leaving_};
    const auto sent = co_await stream->write_all(pieces, net::kForever);
    if (self->life_ != life) co_return;
    if (sent.has_error()) {
      if (!self->setup_->tls) self->give_up("cannot write: " + sent.error().message());
      co_return;
    }
    self->user_->wrote();
    self->leaving_.clear();
    if (self->leaving_.capacity() > kKeptBuffer) self->leaving_ = std::string();
    self->leaving_.swap(self->pending_);
  }
  self->writing_ = false;
}

}  // namespace headgate::redis
