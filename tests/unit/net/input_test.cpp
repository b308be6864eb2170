#include "headgate/net/input.hpp"

#include "unit/net/loop.hpp"

namespace headgate::net {
namespace {

using test::milliseconds;
using test::seconds;
namespace error = boost::asio::error;

class InputTest : public test::Loop {
 protected:
  static constexpr std::size_t kSmall = 16, kLarge = 64;
  /// Fills until `bytes` are unused.
  void fill_to(std::size_t bytes) {
    const auto filling = [&]() -> Task<void> {
      while (input_.data().size() < bytes) {
        const auto got = co_await input_.fill(seconds(5));
        EXPECT_TRUE(got.has_value()) << got.error().message();
        if (got.has_error()) co_return;
      }
    };
    ASSERT_TRUE(finish(filling()));
  }
  error_code fill_error(Duration timeout = seconds(5)) {
    error_code out;
    const auto filling = [&]() -> Task<void> {
      const auto got = co_await input_.fill(timeout);
      if (got.has_error()) out = got.error();
    };
    EXPECT_TRUE(finish(filling()));
    return out;
  }
  Blocks blocks_{BlockPool(kSmall, 4), BlockPool(kLarge, 4)};
  Input input_{near_, blocks_};
};

TEST_F(InputTest, HoldsWhatWasReadUntilItIsConsumed) {
  EXPECT_EQ(input_.data(), "");
  EXPECT_EQ(input_.fill_now().error(), error::would_block);
  say("hello");
  fill_to(5);
  EXPECT_EQ(input_.data(), "hello");
  input_.consume(2);
  EXPECT_EQ(input_.data(), "llo");
  say("!");
  fill_to(4);
  EXPECT_EQ(input_.data(), "llo!");
}

TEST_F(InputTest, MakesRoomByMovingWhatIsUnusedToTheFront) {
  say("0123456789abcdef");
  fill_to(kSmall);
  EXPECT_TRUE(input_.full());
  EXPECT_EQ(fill_error(milliseconds(1)), error::no_buffer_space) << "a full one has no room";
  input_.consume(10);
  EXPECT_FALSE(input_.full());
  say("ghijklmnop");
  fill_to(kSmall);
  EXPECT_EQ(input_.data(), "abcdefghijklmnop");
  say("q");
  EXPECT_EQ(fill_error(), error::no_buffer_space);
  EXPECT_EQ(input_.data(), "abcdefghijklmnop") << "and loses nothing";
}

TEST_F(InputTest, WidensOnceForALongHead) {
  say("0123456789abcdef");
  fill_to(kSmall);
  EXPECT_TRUE(input_.widen());
  EXPECT_EQ(input_.data(), "0123456789abcdef") << "and keeps what was read";
  EXPECT_FALSE(input_.full());
  say(std::string(kLarge - kSmall, 'x'));
  fill_to(kLarge);
  EXPECT_TRUE(input_.full());
  EXPECT_FALSE(input_.widen());
}

TEST_F(InputTest, TellsTheEndAndTheTimeout) {
  EXPECT_EQ(fill_error(milliseconds(60)), error::timed_out);
  far_.shutdown(Socket::shutdown_send);
  EXPECT_EQ(fill_error(), error::eof);
}

TEST_F(InputTest, LeavesAPinnedHeadReadableWhileMoreIsRead) {
  say("HEADHEADrest");
  fill_to(12);
  const auto head = input_.data().substr(0, 8);
  input_.consume(8);
  input_.pin();
  for (int i = 0; i < 8; ++i) {
    say("0123456789");
    fill_to(4);
    EXPECT_EQ(head, "HEADHEAD");
    EXPECT_TRUE(i > 0 || input_.data().starts_with("rest")) << "what was unused moved along";
    input_.consume(input_.data().size());
  }
  input_.unpin();
}

TEST_F(InputTest, PinsAcrossAChangeToALargeBlock) {
  say("HEAD");
  fill_to(4);
  const auto head = input_.data();
  input_.consume(4);
  input_.pin();
  input_.grow();
  const std::string body(kLarge, 'b');
  say(body);
  fill_to(kLarge);
  EXPECT_EQ(input_.data(), body) << "the large block is used in full";
  EXPECT_EQ(head, "HEAD");
}

TEST_F(InputTest, GrowsOnlyWhereNothingIsUnused) {
  say("0123456789abcdef");
  fill_to(kSmall);
  input_.grow();
  EXPECT_EQ(input_.data(), "0123456789abcdef");
  EXPECT_TRUE(input_.full());
  input_.consume(kSmall);
  input_.grow();
  input_.grow();
  say(std::string(kLarge, 'x'));
  fill_to(kLarge);
  EXPECT_TRUE(input_.full());
}

TEST_F(InputTest, GivesItsBlockBackAtRest) {
  say("hello");
  fill_to(5);
  const char* const bytes = input_.data().data();
  input_.rest();
  EXPECT_EQ(input_.data(), "hello") << "not while something is unused";
  input_.consume(5);
  input_.rest();
  EXPECT_EQ(input_.data(), "");
  EXPECT_EQ(blocks_.small.lend().data(), bytes) << "somebody else may have it now";
  say("again");
  fill_to(5);
  EXPECT_EQ(input_.data(), "again");
}

TEST_F(InputTest, GivesAPinnedBlockBackWhenUnpinned) {
  say("HEAD");
  fill_to(4);
  const char* const bytes = input_.data().data();
  input_.consume(4);
  input_.pin();
  say("x");
  fill_to(1);
  EXPECT_NE(blocks_.small.lend().data(), bytes) << "still pinned";
  input_.unpin();
  const Block first = blocks_.small.lend(), second = blocks_.small.lend();
  EXPECT_TRUE(first.data() == bytes || second.data() == bytes);
}

}  // namespace
}  // namespace headgate::net
