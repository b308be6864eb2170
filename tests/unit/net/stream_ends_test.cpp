// Who watches a stream hears of its end, whatever comes before it.

#include "unit/net/loop.hpp"

#include "headgate/net/stream.hpp"

#include <unistd.h>

#include <array>

namespace headgate::net {
namespace {

using test::milliseconds;
using test::seconds;
using StreamEndsTest = test::Loop;

/// Counts the events of a watched stream.
struct Watcher {
  static void heard(void* self, Stream& stream) {
    auto& watcher = *static_cast<Watcher*>(self);
    ++watcher.events;
    watcher.ended = stream.sees_end();
    if (watcher.again) stream.watch_on(&Watcher::heard, self, seconds(60));
  }
  int events = 0;
  bool ended = false;
  bool again = false;
};

TEST_F(StreamEndsTest, TellsWhoWatchesOfAnEndThatCameWithTheLastBytes) {
  Watcher watcher;
  std::array<char, 16> into{};
  bool done = false;
  const auto reading = [&]() -> Task<void> {
    const error_code ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec);
    EXPECT_EQ(*near_->read_now(into), 4U);
    done = true;  // it wants no more
  };
  near_->watch(&Watcher::heard, &watcher, seconds(60));
  spawn(reading(), "test");
  say("last");
  far_.shutdown(Socket::shutdown_send);
  ASSERT_TRUE(run_until(done));
  EXPECT_EQ(watcher.events, 1);
  EXPECT_TRUE(watcher.ended);
}

TEST_F(StreamEndsTest, TellsWhoWatchesOnOfWhatComesBehindUnreadBytes) {
  Watcher watcher;
  watcher.again = true;
  near_->watch(&Watcher::heard, &watcher, seconds(60));
  say("unread");
  for (int i = 0; i < 20 && watcher.events == 0; ++i) {
    loop_.restart();
    loop_.run_one_for(milliseconds(100));
  }
  loop_.restart();
  loop_.run_for(milliseconds(120));
  EXPECT_EQ(watcher.events, 1) << "what is there is told once";
  EXPECT_FALSE(watcher.ended);
  far_.shutdown(Socket::shutdown_send);
  for (int i = 0; i < 20 && watcher.events == 1; ++i) {
    loop_.restart();
    loop_.run_one_for(milliseconds(100));
  }
  EXPECT_TRUE(watcher.ended);
}

// A process that is being started has copies of all descriptors for a moment. AddressSanitizer sees the mistake.
TEST_F(StreamEndsTest, GetsNoEventAfterItIsGoneEvenIfItsDescriptorWasCopied) {
  boost::asio::basic_socket_acceptor<Tcp, Executor> acceptor(loop_,
                                                             Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  Socket far(loop_.get_executor());
  far.connect(acceptor.local_endpoint());
  Socket near(loop_.get_executor());
  acceptor.accept(near);
  const StreamPtr other(new Stream(std::move(near), timers_));  // so that the loop goes on looking
  const int copy = ::dup(near_->descriptor());
  near_->close();
  near_ = other;
  say("late");
  loop_.restart();
  loop_.run_for(milliseconds(120));
  EXPECT_TRUE(other->is_open());
  ::close(copy);
}

}  // namespace
}  // namespace headgate::net
