#include "connection.hpp"

#include "headgate/core/result.hpp"
#include "headgate/redis/command.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kGreetingLimit = 1s;
constexpr auto kMinPause = 50ms;  // shortest pause between two attempts to connect
constexpr auto kMaxPause = 500ms;
constexpr auto kSteady = 1s;  // a lost connection that lasted at least this long is replaced at once
constexpr std::size_t kKeptBytes = 256UL * 1024;  // maximum size of the output buffer that is kept after a burst

}  // namespace

Connection::Connection(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, std::string_view script,
                       std::string_view script_sha)
    : executor_(loop.get_executor()),
      setup_(std::move(setup)),
      script_(script),
      script_sha_(script_sha),
      link_(std::make_shared<Link>(loop, setup_)),
      timer_(executor_),
      pause_(kMinPause),
      random_(std::random_device{}()),
      reader_(setup_->keep) {}

void Connection::aim(const RedisNode& node) {
  if (stopped_) return;
  node_ = node;
  pause_ = kMinPause;
  if (ready_) {
    pause_ = 0ms;
    return lose("another server is used now: " + name_of(node));
  }
  end_life();
  connect();
}

void Connection::stop() {
  stopped_ = true;
  end_life();
  forget_all();
  owner_.reset();
}

template <class Handler>
void Connection::after(SteadyClock::duration time, Handler handler) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this(), life = life_, handler = std::move(handler)](error_code ec) mutable {
    if (!ec && self->life_ == life) handler();
  });
}

void Connection::connect() { link_->open(*node_, shared_from_this()); }

void Connection::opened() {
  reader_.reset();
  std::string greeting;
  handshake_.emplace(setup_->options, script_, script_sha_, greeting);
  since_ = SteadyClock::now();
  after(kGreetingLimit, [this] { give_up("it accepts connections but does not answer"); });
  link_->write(greeting);
}

void Connection::ready() {
  since_ = SteadyClock::now();
  handshake_.reset();
  timer_.cancel();
  link_->keep();
  ready_ = true;
  flush_soon();
  const auto owner = owner_;
  owner->connected();
}

/// Rejects the current address of the server: the link tries the next address, or reports that it is closed.
void Connection::give_up(const std::string& reason) {
  ++life_;
  timer_.cancel();
  handshake_.reset();
  link_->give_up(reason);
}

void Connection::drop(const std::string& reason) {
  if (!stopped_) lose(reason);
}

void Connection::lose(const std::string& reason) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it may lie in what is closed now
  const std::string why = reason;
  if (ready_ && SteadyClock::now() - since_ >= kSteady) pause_ = 0ms;
  end_life();
  forget_all();
  connect_later();
  const auto owner = owner_;
  owner->lost(why);
}

// Waits before the next attempt. All gateways lose a restarted server at the same moment; because of the jitter, they
// do not all come back at the same moment.
void Connection::connect_later() {
  using std::chrono::microseconds;
  const auto most = std::chrono::duration_cast<microseconds>(pause_).count();
  std::uniform_int_distribution<std::int64_t> between(most / 2, most);
  after(microseconds(between(random_)), [this] { connect(); });
  pause_ = std::clamp<SteadyClock::duration>(pause_ * 2, kMinPause, kMaxPause);
}

void Connection::end_life() {
  ++life_;
  ready_ = false;
  handshake_.reset();
  timer_.cancel();
  link_->close();
}

void Connection::forget_all() {
  first_place_ += waiting_.size();
  waiting_.clear();
  out_.clear();
}

void Connection::queue(std::span<const std::string_view> words, Recipient* waiter) {
  append_command(out_, words);
  if (waiter != nullptr) waiter->place = first_place_ + waiting_.size();
  waiting_.push_back(waiter);
  flush_soon();
}

void Connection::forget(const Recipient& waiter) {
  const auto index = waiter.place - first_place_;
  if (waiter.place >= first_place_ && index < waiting_.size() && waiting_[index] == &waiter) waiting_[index] = nullptr;
}

void Connection::flush_soon() {
  if (flush_posted_ || !ready_ || out_.empty()) return;
  flush_posted_ = true;
  boost::asio::post(executor_, [self = shared_from_this()] {
    self->flush_posted_ = false;
    if (self->ready_) self->flush();
  });
}

void Connection::flush() {
  std::string bytes = std::exchange(out_, {});  // emptied, so that a lost link does not send these bytes
  link_->write(bytes);
  if (!out_.empty() || bytes.capacity() > kKeptBytes) return;
  bytes.clear();
  out_ = std::move(bytes);
}

void Connection::wrote() {
  if (ready_) owner_->wrote();
}

void Connection::received(std::string_view bytes) {
  const auto life = life_;
  const auto owner = owner_;  // the owner's reaction to an answer may end this connection
  reader_.feed(bytes);
  for (Reply reply; life_ == life;) {
    switch (reader_.next(reply)) {
      case ReplyReader::Next::more:
        return;
      case ReplyReader::Next::reply:
        take(reply);
        break;
      case ReplyReader::Next::broken:
        return give_up("it does not speak the protocol of Redis: " + reader_.error());
    }
  }
}

void Connection::take(const Reply& reply) {
  if (handshake_) {
    const auto step = handshake_->take(reply);
    if (step == Handshake::Step::failed) return give_up(std::string(handshake_->reason()));
    if (step == Handshake::Step::done) ready();
    return;
  }
  if (waiting_.empty()) return lose("it sent an answer that no call asked for");
  Recipient* waiter = waiting_.front();
  waiting_.pop_front();
  ++first_place_;
  owner_->replied(waiter, reply);
}

}  // namespace headgate::redis
