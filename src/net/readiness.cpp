#include "headgate/net/readiness.hpp"

#include "headgate/net/stream.hpp"

#include <boost/asio/post.hpp>

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace headgate::net {
namespace {

constexpr std::size_t kTold = 16;  // number of turns after which the result of a poll is too old
constexpr std::uint32_t kEnds = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
constexpr std::uint32_t kToRead = EPOLLIN | kEnds;

int make_set() {
  const int set = ::epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) throw std::system_error(errno, std::system_category(), "epoll_create1");
  return set;
}

}  // namespace

Readiness::Readiness(boost::asio::execution_context& context)
    : service(context), set_(static_cast<boost::asio::io_context&>(context), make_set()) {}

void Readiness::add(int descriptor, Stream& stream) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &stream;
  if (::epoll_ctl(set_.native_handle(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    throw std::system_error(errno, std::system_category(), "epoll_ctl");
  }
  ++registered_;
  wait();
}

void Readiness::repeat(Stream& stream) {
  repeats_.emplace_back(&stream);
  if (repeats_.size() == 1) boost::asio::post(set_.get_executor(), [this] { dispatch_repeats(); });
}

void Readiness::dispatch_repeats() {
  auto streams = std::exchange(repeats_, {});
  // A stream gets only one turn, even if it has asked several times.
  std::sort(streams.begin(), streams.end());
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
  in_turns_ = true;
  std::size_t turns = 0;
  for (const auto& stream : streams) {
    if (stream->is_open()) stream->on_turn();
    if (++turns % kTogether == 0) call_late();
  }
  call_late();
  in_turns_ = false;
}

void Readiness::later(LateCall& call) {
  if (!in_turns_) return call.action_(call.owner_);
  if (!call.asked()) late_.push_back(call);
}

/// Runs the late calls, including those that other late calls ask for.
void Readiness::call_late() {
  while (!late_.empty()) {
    const auto& call = late_.front();
    late_.pop_front();
    call.action_(call.owner_);
  }
}

// Removes a descriptor from the set before it is closed. A close alone is not enough if another process has the
// descriptor, and a process that is being started has copies of all descriptors for a moment.
void Readiness::remove(int descriptor) noexcept {
  ::epoll_ctl(set_.native_handle(), EPOLL_CTL_DEL, descriptor, nullptr);
  if (--registered_ > 0) return;
  boost::system::error_code ignored;
  set_.cancel(ignored);
}

void Readiness::wait() {
  if (waiting_) return;
  const auto begin = [this] {
    round();
    wait();
  };
  if (!ready_.empty()) {
    boost::asio::post(set_.get_executor(), begin);
  } else if (registered_ > 0) {
    set_.async_wait(Descriptor::wait_read, [this, begin](const boost::system::error_code& ec) {
      if (!ec) return begin();
      waiting_ = false;
      wait();
    });
  } else {
    return;
  }
  waiting_ = true;
}

void Readiness::round() {
  struct End {
    Readiness& whose;
    ~End() { whose.tells_ = whose.in_round_ = whose.in_turns_ = whose.waiting_ = false; }
  };
  const End end{*this};
  turn_ = 0;
  in_round_ = in_turns_ = true;
  look();
  // Late calls may poll again, so that further streams may get their turn in this round.
  for (; turn_ < kRound && !ready_.empty(); ++turn_) {
    if (turn_ - looked_ == kTold) tells_ = false;
    const auto stream = std::move(ready_.front());
    ready_.pop_front();
    const auto told = std::exchange(stream->told_, 0);
    if (told & EPOLLOUT) stream->on_writable();
    if (told & kToRead) stream->on_turn();
    if ((turn_ + 1) % kTogether == 0 || ready_.empty()) call_late();
  }
}

void Readiness::look() {
  std::array<epoll_event, kWaiting> events;
  const auto room = ready_.reserve();
  const int count = room > 0 ? ::epoll_wait(set_.native_handle(), events.data(), static_cast<int>(room), 0) : 0;
  // All events are recorded at their streams before the first turn, because one stream's turn may use another stream,
  // whose events must be known then.
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    auto& stream = *static_cast<Stream*>(event.data.ptr);
    if (stream.told_ == 0) ready_.push_back(&stream);
    stream.told_ |= event.events;
    if (event.events & kToRead)
      stream.transport().edge(event.events & kEnds ? Transport::Ends::yes : Transport::Ends::no);
  }
  more_ = count >= 0 && static_cast<std::size_t>(count) == room;
  tells_ = count >= 0 && !more_;
  looks_ += tells_ ? 1 : 0;
  looked_ = turn_;
}

bool Readiness::look_again() {
  if (!in_round_ || more_) return false;
  look();
  return tells_;
}

void Readiness::shutdown() {
  ready_.clear();
  repeats_.clear();
  boost::system::error_code ignored;
  set_.close(ignored);
}

}  // namespace headgate::net
