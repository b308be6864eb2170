#include "headgate/net/h1_body.hpp"

#include "unit/net/loop.hpp"

#include <boost/system/errc.hpp>

namespace headgate::net {
namespace {

using http::EndStream;
using Framing = http::h1::WireFraming;
using test::milliseconds;
using test::seconds;
namespace error = boost::asio::error;
using Kind = http::h1::WireFraming::Kind;

class H1BodyTest : public test::Loop {
 protected:
  /// Reads the body to its end or first error.
  void read_all(milliseconds most = seconds(10)) {
    const auto reading = [&]() -> Task<void> {
      while (!body_.ended()) {
        const auto got = co_await body_.read();
        if (got.has_error()) {
          failed_ = got.error();
          co_return;
        }
        if (got->empty() && !body_.ended()) ADD_FAILURE() << "an empty view before the end";
        data_ += *got;
      }
    };
    ASSERT_TRUE(finish(reading(), most));
  }
  /// The pieces are sent one after another, each when the one before was read.
  void trickle(std::string_view bytes) {
    bool done = false;
    const auto reading = [&]() -> Task<void> {
      while (!body_.ended()) {
        const auto got = co_await body_.read();
        if (got.has_error()) {
          failed_ = got.error();
          break;
        }
        data_ += *got;
      }
      done = true;
    };
    spawn(reading(), "test");
    for (const char c : bytes) {
      say({&c, 1});
      loop_.restart();
      loop_.run_one_for(seconds(1));
    }
    ASSERT_TRUE(run_until(done));
  }
  Blocks blocks_{BlockPool(2048, 4), BlockPool(8192, 4)};
  ReadBuffer read_buffer_{near_, blocks_};
  H1Body body_{read_buffer_, seconds(5)};
  std::string data_;
  error_code failed_;
};

TEST_F(H1BodyTest, EndsAtOnceIfThereIsNoBody) {
  EXPECT_TRUE(body_.ended()) << "before any";
  body_.begin({});
  EXPECT_TRUE(body_.ended());
  EXPECT_TRUE(body_.clean());
  read_all();
  EXPECT_EQ(data_, "");
}

TEST_F(H1BodyTest, TakesExactlyItsLength) {
  body_.begin({Kind::length, 5});
  EXPECT_FALSE(body_.ended());
  say("hellonext");
  read_all();
  EXPECT_EQ(data_, "hello");
  EXPECT_TRUE(body_.clean());
  const auto rest = [&]() -> Task<void> {
    while (read_buffer_.data().size() < 4) {
      const auto got = co_await read_buffer_.fill(seconds(5));
      if (got.has_error()) co_return;
    }
  };
  ASSERT_TRUE(finish(rest()));
  EXPECT_EQ(read_buffer_.data(), "next");
}

TEST_F(H1BodyTest, KnowsTheEndOfALengthWithItsLastByte) {
  body_.begin({Kind::length, 5});
  say("hello");
  const auto fill = [&]() -> Task<void> { (void)co_await read_buffer_.fill(seconds(5)); };
  ASSERT_TRUE(finish(fill()));
  const auto got = body_.ready();
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(*got, "hello");
  EXPECT_TRUE(body_.ended()) << "without another read";
  EXPECT_EQ(*body_.ready(), "");
}

TEST_F(H1BodyTest, HasNothingReadyBeforeItComes) {
  body_.begin({Kind::length, 5});
  const auto got = body_.ready();
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(*got, "");
  EXPECT_FALSE(body_.ended());
}

TEST_F(H1BodyTest, FailsIfItEndsTooSoon) {
  body_.begin({Kind::length, 6});
  say("hello");
  far_.shutdown(Socket::shutdown_send);
  read_all();
  EXPECT_EQ(data_, "hello");
  EXPECT_EQ(failed_, error::eof);
  EXPECT_FALSE(body_.ended());
  EXPECT_FALSE(body_.clean());
}

TEST_F(H1BodyTest, ReadsALongBodyInFull) {
  const std::string big(300'000, 'x');
  body_.begin({Kind::length, big.size()});
  say(big);
  read_all();
  EXPECT_EQ(data_.size(), big.size());
  EXPECT_TRUE(body_.clean());
}

TEST_F(H1BodyTest, ReadsChunksAndTrailers) {
  body_.begin({Kind::chunked, 0});
  say("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Sum: 1\r\n\r\nnext");
  read_all();
  EXPECT_EQ(data_, "hello world");
  EXPECT_TRUE(body_.clean());
  EXPECT_EQ(http::value_of(body_.trailers(), std::string_view("X-Sum")), "1");
  EXPECT_EQ(read_buffer_.data(), "next");
}

TEST_F(H1BodyTest, ReadsChunksThatComeByteByByte) {
  body_.begin({Kind::chunked, 0});
  trickle("5\r\nhello\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n");
  EXPECT_FALSE(failed_) << failed_.message();
  EXPECT_EQ(data_, "hello!");
  EXPECT_EQ(body_.trailers().size(), 1U);
}

TEST_F(H1BodyTest, JoinsTheChunksThatAreHere) {
  body_.begin({Kind::chunked, 0});
  say("1\r\nh\r\n3;x=y\r\nell\r\n1\r\no\r\n7\r\n wo");
  const auto fill = [&]() -> Task<void> { (void)co_await read_buffer_.fill(seconds(5)); };
  ASSERT_TRUE(finish(fill()));
  const auto first = body_.ready();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(*first, "hello wo");
  say("rld!\r\n0\r\nA: b\r\n\r\nnext");
  ASSERT_TRUE(finish(fill()));
  const auto last = body_.ready();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(*last, "rld!");
  EXPECT_TRUE(body_.ended());
  EXPECT_EQ(body_.trailers().size(), 1U);
  EXPECT_EQ(read_buffer_.data(), "next");
}

TEST_F(H1BodyTest, ReturnsWhatCameBeforeAnError) {
  body_.begin({Kind::chunked, 0});
  say("1\r\na\r\n1\r\nb\r\nX\r\n");
  read_all();
  EXPECT_EQ(data_, "ab");
  EXPECT_EQ(failed_, boost::system::errc::make_error_code(boost::system::errc::bad_message));
}

TEST_F(H1BodyTest, FailsIfChunksAreBroken) {
  body_.begin({Kind::chunked, 0});
  say("5\r\nhelloX\r\n");
  read_all();
  EXPECT_EQ(failed_, boost::system::errc::make_error_code(boost::system::errc::bad_message));
  EXPECT_FALSE(body_.clean());
}

TEST_F(H1BodyTest, FailsIfMoreIsAnnouncedThanIsAccepted) {
  body_.begin({Kind::length, 6});
  EXPECT_TRUE(body_.take_at_most(6));
  EXPECT_FALSE(body_.take_at_most(5)) << "its length was said";
  body_.begin({Kind::chunked, 0});
  EXPECT_TRUE(body_.take_at_most(5));
  say("5\r\nhello\r\n1\r\n");
  read_all();
  EXPECT_EQ(data_, "hello");
  EXPECT_EQ(failed_, boost::system::errc::make_error_code(boost::system::errc::message_size));
}

TEST_F(H1BodyTest, FailsIfTheLastChunkIsMissing) {
  body_.begin({Kind::chunked, 0});
  say("5\r\nhello\r\n");
  far_.shutdown(Socket::shutdown_send);
  read_all();
  EXPECT_EQ(data_, "hello");
  EXPECT_EQ(failed_, error::eof);
}

TEST_F(H1BodyTest, EndsWithTheConnectionIfThereIsNoOtherFraming) {
  body_.begin({Kind::until_close, 0});
  say("hello");
  far_.shutdown(Socket::shutdown_send);
  read_all();
  EXPECT_EQ(data_, "hello");
  EXPECT_FALSE(failed_);
  EXPECT_TRUE(body_.ended());
  EXPECT_FALSE(body_.clean()) << "nothing follows on this connection";
}

TEST_F(H1BodyTest, GivesUpIfNoByteComes) {
  body_.begin({Kind::length, 5});
  body_.timeout(milliseconds(60));
  say("he");
  read_all();
  EXPECT_EQ(data_, "he");
  EXPECT_EQ(failed_, error::timed_out);
}

TEST_F(H1BodyTest, TakesALargeBlockOnlyOnceASmallOneWasFilled) {
  LentBytes total;
  LentBytes::Share share(&total);
  Blocks blocks{BlockPool(2048, 4), BlockPool(4UL << 20, 1, &share)};
  ReadBuffer buffer(near_, blocks);
  H1Body body(buffer, seconds(5));
  body.begin({Kind::length, 1U << 30});
  std::size_t left = 3000;
  const auto reading = [&]() -> Task<void> {
    while (left > 0) {
      const auto got = co_await body.read();
      left -= std::min(left, got->size());
    }
  };
  say(std::string(1000, 'x'));
  const auto first = [&]() -> Task<void> { left -= (co_await body.read())->size(); };
  ASSERT_TRUE(finish(first()));
  EXPECT_EQ(total.read(), 0U) << "what is announced costs nothing";
  say(std::string(5000, 'x'));
  left = 5000;
  ASSERT_TRUE(finish(reading()));
  EXPECT_EQ(total.read(), 4U << 20);
}

TEST_F(H1BodyTest, WakesAWaitingReadByCancel) {
  body_.begin({Kind::length, 5});
  bool done = false;
  const auto reading = [&]() -> Task<void> {
    const auto got = co_await body_.read();
    EXPECT_EQ(got.has_error() ? got.error() : error_code(), error::operation_aborted);
    done = true;
  };
  spawn(reading(), "test");
  EXPECT_FALSE(done);
  body_.cancel();
  EXPECT_TRUE(done);
}

TEST_F(H1BodyTest, SendsContinueOnceBeforeItsFirstWait) {
  body_.begin({Kind::length, 5});
  int said = 0;
  const auto say_continue = [](void* owner) -> Task<Result<void>> {
    ++*static_cast<int*>(owner);
    co_return Result<void>{};
  };
  body_.before_wait(say_continue, &said);
  EXPECT_EQ(*body_.ready(), "");
  EXPECT_EQ(said, 0) << "looking is not waiting";
  trickle("hello");
  EXPECT_EQ(said, 1);
  EXPECT_EQ(data_, "hello");
}

TEST_F(H1BodyTest, FailsIfContinueCannotBeSent) {
  body_.begin({Kind::length, 5});
  const auto fail = [](void*) -> Task<Result<void>> { co_return error_code(error::broken_pipe); };
  body_.before_wait(fail, nullptr);
  read_all();
  EXPECT_EQ(failed_, error::broken_pipe);
}

TEST_F(H1BodyTest, KeepsNoTrailersOfTheBodyBefore) {
  for (const Framing& next :
       {Framing{Kind::chunked, 0}, Framing{Kind::length, 2}, Framing{Kind::until_close, 0}, Framing{}}) {
    body_.begin({Kind::chunked, 0});
    say("0\r\nX-Secret: of another\r\n\r\n");
    read_all();
    ASSERT_EQ(body_.trailers().size(), 1U);
    body_.begin(next);
    EXPECT_TRUE(body_.trailers().empty()) << "framing " << static_cast<int>(next.kind);
  }
}

class H1OutputTest : public test::Loop {
 protected:
  std::string sent(bool chunked, std::string_view head, std::string_view bytes, EndStream last) {
    output_.begin(chunked);
    const auto writing = [&]() -> Task<void> {
      const auto done = co_await output_.send(head, bytes, last, seconds(5));
      EXPECT_TRUE(done.has_value());
    };
    EXPECT_TRUE(finish(writing()));
    return heard();
  }
  std::string finished(bool chunked, const http::Fields& trailers) {
    output_.begin(chunked);
    const auto writing = [&]() -> Task<void> {
      const auto done = co_await output_.finish(trailers, room_, seconds(5));
      EXPECT_TRUE(done.has_value());
    };
    EXPECT_TRUE(finish(writing()));
    return heard();
  }
  H1Output output_{*near_};
  TextBuffer room_;
};

TEST_F(H1OutputTest, SendsPlainBytesIfTheLengthIsKnown) {
  EXPECT_EQ(sent(false, "head\r\n\r\n", "body", EndStream::no), "head\r\n\r\nbody");
  EXPECT_EQ(sent(false, {}, "more", EndStream::yes), "more");
  EXPECT_EQ(sent(false, "head", {}, EndStream::yes), "head");
  EXPECT_EQ(finished(false, {{http::Known::unknown, "X", "1"}}), "") << "no room for trailers";
  EXPECT_EQ(output_.bytes(), 20U);
}

TEST_F(H1OutputTest, FramesChunks) {
  EXPECT_EQ(sent(true, "head\r\n\r\n", "hello", EndStream::no), "head\r\n\r\n5\r\nhello\r\n");
  EXPECT_EQ(output_.bytes(), 18U) << "framing counts";
  EXPECT_EQ(sent(true, {}, std::string(31, 'x'), EndStream::no), "1f\r\n" + std::string(31, 'x') + "\r\n");
  EXPECT_EQ(sent(true, {}, "end", EndStream::yes), "3\r\nend\r\n0\r\n\r\n");
  EXPECT_EQ(sent(true, "head", {}, EndStream::no), "head") << "no empty chunk, which would be the end";
  EXPECT_EQ(sent(true, "head", {}, EndStream::yes), "head0\r\n\r\n");
}

TEST_F(H1OutputTest, EndsChunksWithTrailers) {
  room_.write(16, [](TextCursor& out) { out.word("left from before"); });
  EXPECT_EQ(finished(true, {}), "0\r\n\r\n");
  EXPECT_EQ(finished(true, {{http::Known::unknown, "X-Sum", "1"}, {http::Known::unknown, "Y", ""}}),
            "0\r\nX-Sum: 1\r\nY: \r\n\r\n");
}

}  // namespace
}  // namespace headgate::net
