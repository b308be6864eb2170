#include "headgate/net/stream.hpp"

#include "unit/net/loop.hpp"

#include <boost/asio/post.hpp>

#include <array>

namespace headgate::net {
namespace {

using test::milliseconds;
using test::seconds;
namespace error = boost::asio::error;
using StreamTest = test::Loop;

TEST_F(StreamTest, ReadsWhatIsThereAndReportsWhenNothingIs) {
  std::array<char, 16> into{};
  EXPECT_EQ(near_->read_now(into).error(), error::would_block);
  say("hello");
  const auto reading = [&]() -> Task<void> {
    const error_code ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec) << ec.message();
  };
  ASSERT_TRUE(finish(reading()));
  const auto got = near_->read_now(into);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(std::string_view(into.data(), *got), "hello");
  far_.shutdown(Socket::shutdown_send);
  ASSERT_TRUE(finish(reading()));
  EXPECT_EQ(near_->read_now(into).error(), error::eof);
}

TEST_F(StreamTest, DiscardsBytesWithoutReadingThem) {
  EXPECT_EQ(near_->discard_now().error(), error::would_block);
  say(std::string(30'000, 'x'));
  const auto reading = [&]() -> Task<void> {
    const error_code ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec) << ec.message();
  };
  ASSERT_TRUE(finish(reading()));
  std::size_t gone = 0;
  for (auto got = near_->discard_now(); got.has_value(); got = near_->discard_now()) gone += *got;
  EXPECT_EQ(gone, 30'000U);
  say("next");
  ASSERT_TRUE(finish(reading()));
  std::array<char, 16> into{};
  EXPECT_EQ(*near_->read_now(into), 4U);
  far_.shutdown(Socket::shutdown_send);
  ASSERT_TRUE(finish(reading()));
  EXPECT_EQ(near_->discard_now().error(), error::eof);
}

TEST_F(StreamTest, SeesBytesBeforeItsLoopReportsThem) {
  EXPECT_TRUE(near_->silent());
  say("x");
  EXPECT_FALSE(near_->silent());
  std::array<char, 16> into{};
  EXPECT_EQ(*near_->read_now(into), 1U) << "looking takes nothing";
  EXPECT_TRUE(near_->silent());
  far_.shutdown(Socket::shutdown_send);
  EXPECT_FALSE(near_->silent());
}

TEST_F(StreamTest, GivesUpWaitingAfterTheTimeout) {
  const auto start = std::chrono::steady_clock::now();
  const auto reading = [&]() -> Task<void> {
    const error_code ec = co_await near_->readable(milliseconds(60));
    EXPECT_EQ(ec, error::timed_out);
  };
  ASSERT_TRUE(finish(reading()));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(60));
  say("x");
  const auto again = [&]() -> Task<void> {
    const error_code ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec) << "a timeout does not end the connection: " << ec.message();
  };
  ASSERT_TRUE(finish(again()));
}

TEST_F(StreamTest, InterruptReadWakesOnlyTheCurrentReader) {
  error_code first, second;
  bool done = false;
  const auto reading = [&]() -> Task<void> {
    first = co_await near_->readable(seconds(5));
    second = co_await near_->readable(seconds(5));
    done = true;
  };
  spawn(reading(), "test");
  near_->interrupt_read();
  EXPECT_EQ(first, error::operation_aborted);
  EXPECT_FALSE(done) << "it waits again";
  say("x");
  ASSERT_TRUE(run_until(done));
  EXPECT_FALSE(second);
}

TEST_F(StreamTest, FailsEveryWaitAfterAnInterrupt) {
  error_code first, second;
  const auto reading = [&]() -> Task<void> {
    first = co_await near_->readable(seconds(5));
    second = co_await near_->readable(seconds(5));
  };
  bool wrote = true;
  const auto writing = [&]() -> Task<void> {
    const std::array<std::string_view, 1> pieces{"x"};
    const auto sent = co_await near_->write_all(pieces, seconds(5));
    wrote = sent.has_value();
  };
  spawn(reading(), "test");
  near_->interrupt();
  EXPECT_EQ(first, error::operation_aborted);
  EXPECT_EQ(second, error::operation_aborted);
  spawn(writing(), "test");
  EXPECT_FALSE(wrote);
  EXPECT_EQ(heard(), "");
}

TEST_F(StreamTest, WakesAReaderWhenClosed) {
  error_code got;
  bool done = false;
  const auto reading = [&]() -> Task<void> {
    got = co_await near_->readable(seconds(5));
    done = true;
  };
  spawn(reading(), "test");
  near_->close();
  ASSERT_TRUE(run_until(done));
  EXPECT_EQ(got, error::operation_aborted);
  EXPECT_FALSE(near_->is_open());
}

TEST_F(StreamTest, WritesPiecesInOrderAndNoneOfEmptyOnes) {
  const auto writing = [&]() -> Task<void> {
    const std::array<std::string_view, 5> pieces{"a", "", "bc", "", "d"};
    const auto sent = co_await near_->write_all(pieces, seconds(5));
    EXPECT_TRUE(sent.has_value());
    const std::array<std::string_view, 2> nothing{"", ""};
    const auto none = co_await near_->write_all(nothing, seconds(5));
    EXPECT_TRUE(none.has_value());
  };
  ASSERT_TRUE(finish(writing()));
  EXPECT_EQ(heard(), "abcd");
}

TEST_F(StreamTest, WritesAllToAPeerThatReadsSlowly) {
  std::string big(8 << 20, '\0');
  for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i * 31 + i / 4099);
  const std::string_view whole = big;
  bool done = false;
  const auto writing = [&]() -> Task<void> {
    const std::array<std::string_view, 3> pieces{whole.substr(0, 10), whole.substr(10, 3 << 20),
                                                 whole.substr(10 + (3 << 20))};
    const auto sent = co_await near_->write_all(pieces, seconds(10));
    EXPECT_TRUE(sent.has_value()) << sent.error().message();
    done = true;
  };
  spawn(writing(), "test");
  EXPECT_FALSE(done) << "more than the kernel takes at once";
  std::string got;
  const auto end = std::chrono::steady_clock::now() + seconds(15);
  while (got.size() < big.size() && std::chrono::steady_clock::now() < end) {
    got += heard(50'000);
    loop_.restart();
    loop_.poll();
  }
  EXPECT_TRUE(got == big) << got.size();
  EXPECT_TRUE(run_until(done));
}

TEST_F(StreamTest, GivesUpOnAPeerThatReadsNothing) {
  const std::string big(16 << 20, 'x');
  const auto writing = [&]() -> Task<void> {
    const std::array<std::string_view, 1> pieces{big};
    const auto sent = co_await near_->write_all(pieces, milliseconds(60));
    EXPECT_EQ(sent.has_error() ? sent.error() : error_code(), error::timed_out);
  };
  ASSERT_TRUE(finish(writing()));
}

TEST_F(StreamTest, FailsToWriteToAPeerThatIsGone) {
  far_.set_option(boost::asio::socket_base::linger(true, 0));
  far_.close();
  const std::string big(1 << 20, 'x');
  const auto writing = [&]() -> Task<void> {
    const std::array<std::string_view, 1> pieces{big};
    const auto sent = co_await near_->write_all(pieces, seconds(5));
    EXPECT_TRUE(sent.has_error());
  };
  ASSERT_TRUE(finish(writing()));
}

struct Seen {
  int events = 0;
  bool timed_out = false;
  bool done = false;
  static void note(void* self, Stream& stream) {
    auto& seen = *static_cast<Seen*>(self);
    ++seen.events;
    seen.timed_out = stream.timed_out();
    seen.done = true;
  }
};

TEST_F(StreamTest, TellsAWatcherOfBytesOnce) {
  Seen seen;
  near_->watch(&Seen::note, &seen, seconds(5));
  say("x");
  ASSERT_TRUE(run_until(seen.done));
  EXPECT_FALSE(seen.timed_out);
  say("y");
  const bool never = false;
  (void)run_until(never, milliseconds(120));
  EXPECT_EQ(seen.events, 1);
  std::array<char, 4> into{};
  EXPECT_EQ(near_->read_now(into).value(), 2U) << "it took nothing itself";
}

TEST_F(StreamTest, TellsAWatcherOfThePeersClose) {
  Seen seen;
  near_->watch(&Seen::note, &seen, seconds(5));
  far_.close();
  ASSERT_TRUE(run_until(seen.done));
  EXPECT_FALSE(near_->broken()) << "an orderly close is no reset";
}

TEST_F(StreamTest, KnowsAReset) {
  EXPECT_FALSE(near_->broken());
  Seen seen;
  near_->watch(&Seen::note, &seen, seconds(5));
  far_.set_option(boost::asio::socket_base::linger(true, 0));
  far_.close();
  ASSERT_TRUE(run_until(seen.done));
  EXPECT_TRUE(near_->broken());
}

TEST_F(StreamTest, TellsAWatcherOfATimeout) {
  Seen seen;
  near_->watch(&Seen::note, &seen, milliseconds(60));
  ASSERT_TRUE(run_until(seen.done));
  EXPECT_TRUE(seen.timed_out);
  EXPECT_EQ(seen.events, 1);
}

TEST_F(StreamTest, TellsNobodyAfterUnwatch) {
  Seen seen;
  near_->watch(&Seen::note, &seen, milliseconds(60));
  near_->unwatch();
  say("x");
  const bool never = false;
  (void)run_until(never, milliseconds(250));
  EXPECT_EQ(seen.events, 0) << "neither of bytes nor of the time";
  const auto reading = [&]() -> Task<void> {
    const error_code ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec) << "the readiness is kept for who reads next";
  };
  ASSERT_TRUE(finish(reading()));
}

TEST_F(StreamTest, LetsAReaderGoFirst) {
  Seen seen;
  near_->watch(&Seen::note, &seen, seconds(5));
  const auto reading = [&]() -> Task<void> {
    const error_code ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec);
  };
  bool done = false;
  const auto root = [&]() -> Task<void> {
    co_await reading();
    done = true;
  };
  spawn(root(), "test");
  say("x");
  ASSERT_TRUE(run_until(done));
  EXPECT_EQ(seen.events, 0);
}

TEST_F(StreamTest, YieldsToOthersAfterItsTurn) {
  say("ab");
  bool others = false;
  std::array<char, 1> byte{};
  const auto reading = [&]() -> Task<void> {
    (void)co_await near_->readable(seconds(5));
    boost::asio::post(loop_, [&] { others = true; });
    EXPECT_TRUE(near_->read_now(byte).has_value());
    error_code ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec);
    EXPECT_FALSE(others) << "its turn lasts";
    near_->charge(Stream::kTurn);
    ec = co_await near_->readable(seconds(5));
    EXPECT_FALSE(ec);
    EXPECT_TRUE(others) << "it could be read all the time";
  };
  ASSERT_TRUE(finish(reading()));
}

TEST_F(StreamTest, YieldsWithNothingToReadToo) {
  int others = 0;
  const auto working = [&]() -> Task<void> {
    for (int i = 0; i < 3; ++i) {
      boost::asio::post(loop_, [&] { ++others; });
      error_code ec = co_await near_->turn();
      EXPECT_FALSE(ec);
      EXPECT_EQ(others, i);
      near_->charge(Stream::kTurn);
      ec = co_await near_->turn();
      EXPECT_FALSE(ec);
      EXPECT_EQ(others, i + 1);
    }
  };
  ASSERT_TRUE(finish(working()));
}

TEST_F(StreamTest, HasOneTurnForSeveralRequests) {
  say("a");
  const auto nothing = [](void*, Stream&) {};
  int others = 0;
  const auto working = [&]() -> Task<void> {
    (void)co_await near_->readable(seconds(5));
    for (int i = 0; i < 3; ++i) {
      for (int asked = 0; asked < 5; ++asked) near_->watch(nothing, nullptr, seconds(5));
      near_->unwatch();
      near_->charge(Stream::kTurn);
      boost::asio::post(loop_, [&] { ++others; });
      const error_code ec = co_await near_->turn();
      EXPECT_FALSE(ec);
    }
    EXPECT_GE(others, 2);
  };
  ASSERT_TRUE(finish(working()));
  loop_.restart();
  loop_.poll();  // the last of them
}

TEST_F(StreamTest, IsWokenByACloseWhileItWaitsForItsTurn) {
  error_code told;
  const auto waiting = [&]() -> Task<void> {
    near_->charge(Stream::kTurn);
    told = co_await near_->turn();
  };
  spawn(waiting(), "test");
  near_->close();
  EXPECT_EQ(told, error::operation_aborted);
}

TEST_F(StreamTest, TellsThePeerOfAnEnd) {
  near_->shutdown_send();
  char byte = 0;
  EXPECT_EQ(::recv(far_.native_handle(), &byte, 1, 0), 0);
}

TEST_F(StreamTest, ResetTellsThePeerThatTheMessageIsIncomplete) {
  near_->reset();
  char byte = 0;
  const auto got = ::recv(far_.native_handle(), &byte, 1, 0);
  EXPECT_EQ(got, -1);
  EXPECT_EQ(errno, ECONNRESET);
}

}  // namespace
}  // namespace headgate::net
