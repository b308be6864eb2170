#include "headgate/net/read_buffer.hpp"

#include "../../../src/net/plain_transport.hpp"
#include "unit/net/loop.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <thread>

namespace headgate::net {
namespace {

using test::milliseconds;
using test::seconds;
namespace error = boost::asio::error;

class ReadBufferTest : public test::Loop {
 protected:
  static constexpr std::size_t kSmall = 16, kLarge = 64;
  /// Fills until `bytes` are unused.
  void fill_to(std::size_t bytes) {
    const auto filling = [&]() -> Task<void> {
      while (read_buffer_.data().size() < bytes) {
        const auto got = co_await read_buffer_.fill(seconds(5));
        EXPECT_TRUE(got.has_value()) << got.error().message();
        if (got.has_error()) co_return;
      }
    };
    ASSERT_TRUE(finish(filling()));
  }
  error_code fill_error(Duration timeout = seconds(5)) {
    error_code out;
    const auto filling = [&]() -> Task<void> {
      const auto got = co_await read_buffer_.fill(timeout);
      if (got.has_error()) out = got.error();
    };
    EXPECT_TRUE(finish(filling()));
    return out;
  }
  Blocks blocks_{BlockPool(kSmall, 4), BlockPool(kLarge, 4)};
  ReadBuffer read_buffer_{near_, blocks_};
};

TEST_F(ReadBufferTest, HoldsWhatWasReadUntilItIsConsumed) {
  EXPECT_EQ(read_buffer_.data(), "");
  EXPECT_EQ(read_buffer_.fill_now().error(), error::would_block);
  say("hello");
  fill_to(5);
  EXPECT_EQ(read_buffer_.data(), "hello");
  read_buffer_.consume(2);
  EXPECT_EQ(read_buffer_.data(), "llo");
  say("!");
  fill_to(4);
  EXPECT_EQ(read_buffer_.data(), "llo!");
}

TEST_F(ReadBufferTest, MakesRoomByMovingWhatIsUnusedToTheFront) {
  say("0123456789abcdef");
  fill_to(kSmall);
  EXPECT_TRUE(read_buffer_.full());
  EXPECT_EQ(fill_error(milliseconds(1)), error::no_buffer_space) << "a full one has no room";
  read_buffer_.consume(10);
  EXPECT_FALSE(read_buffer_.full());
  say("ghijklmnop");
  fill_to(kSmall);
  EXPECT_EQ(read_buffer_.data(), "abcdefghijklmnop");
  say("q");
  EXPECT_EQ(fill_error(), error::no_buffer_space);
  EXPECT_EQ(read_buffer_.data(), "abcdefghijklmnop") << "and loses nothing";
}

TEST_F(ReadBufferTest, WidensOnceForALongHead) {
  say("0123456789abcdef");
  fill_to(kSmall);
  EXPECT_TRUE(read_buffer_.widen());
  EXPECT_EQ(read_buffer_.data(), "0123456789abcdef") << "and keeps what was read";
  EXPECT_FALSE(read_buffer_.full());
  say(std::string(kLarge - kSmall, 'x'));
  fill_to(kLarge);
  EXPECT_TRUE(read_buffer_.full());
  EXPECT_FALSE(read_buffer_.widen());
}

TEST_F(ReadBufferTest, TellsTheEndAndTheTimeout) {
  EXPECT_EQ(fill_error(milliseconds(60)), error::timed_out);
  far_.shutdown(Socket::shutdown_send);
  EXPECT_EQ(fill_error(), error::eof);
}

/// As TLS does with parts of a record: takes what has come, and has nothing for its user.
class TakesAll final : public Transport {
 public:
  explicit TakesAll(int descriptor) : descriptor_(descriptor) {}
  Result<std::size_t> read(std::span<char>) noexcept override {
    std::array<char, 100> bytes;
    while (true) {
      const auto count = socket::receive(descriptor_, bytes);
      if (count <= 0) return received(count, bytes.size());
      ++taken;
    }
  }
  Result<std::size_t> write(std::span<const iovec>) noexcept override { return error_code(error::would_block); }
  Result<std::size_t> discard(std::size_t) noexcept override { return error_code(error::would_block); }
  bool silent() noexcept override { return true; }
  bool broken() noexcept override { return false; }
  void send_end() noexcept override {}

  int taken = 0;

 private:
  int descriptor_;
};

TEST_F(ReadBufferTest, WaitsNoLongerForBytesThatCarryNothing) {
  auto made = std::make_unique<TakesAll>(near_->descriptor());
  auto& transport = *made;
  near_->use_transport(std::move(made));
  std::atomic<bool> over = false;
  std::thread drips([&, far = far_.native_handle()] {
    while (!over) {
      ::send(far, "x", 1, MSG_NOSIGNAL);
      std::this_thread::sleep_for(milliseconds(10));
    }
  });
  EXPECT_EQ(fill_error(milliseconds(200)), error::timed_out);
  EXPECT_GT(transport.taken, 0);
  over = true;
  drips.join();
}

TEST_F(ReadBufferTest, LeavesAPinnedHeadReadableWhileMoreIsRead) {
  say("HEADHEADrest");
  fill_to(12);
  const auto head = read_buffer_.data().substr(0, 8);
  read_buffer_.consume(8);
  read_buffer_.pin();
  for (int i = 0; i < 8; ++i) {
    say("0123456789");
    fill_to(4);
    EXPECT_EQ(head, "HEADHEAD");
    EXPECT_TRUE(i > 0 || read_buffer_.data().starts_with("rest")) << "what was unused moved along";
    read_buffer_.consume(read_buffer_.data().size());
  }
  read_buffer_.unpin();
}

TEST_F(ReadBufferTest, PinsAcrossAChangeToALargeBlock) {
  say("HEAD");
  fill_to(4);
  const auto head = read_buffer_.data();
  read_buffer_.consume(4);
  read_buffer_.pin();
  read_buffer_.grow();
  const std::string body(kLarge, 'b');
  say(body);
  fill_to(kLarge);
  EXPECT_EQ(read_buffer_.data(), body) << "the large block is used in full";
  EXPECT_EQ(head, "HEAD");
}

TEST_F(ReadBufferTest, GrowsOnlyIfNoSpaceIsUnused) {
  say("0123456789abcdef");
  fill_to(kSmall);
  read_buffer_.grow();
  EXPECT_EQ(read_buffer_.data(), "0123456789abcdef");
  EXPECT_TRUE(read_buffer_.full());
  read_buffer_.consume(kSmall);
  read_buffer_.grow();
  read_buffer_.grow();
  say(std::string(kLarge, 'x'));
  fill_to(kLarge);
  EXPECT_TRUE(read_buffer_.full());
}

TEST_F(ReadBufferTest, GivesItsBlockBackWhenIdle) {
  say("hello");
  fill_to(5);
  const char* const bytes = read_buffer_.data().data();
  read_buffer_.release();
  EXPECT_EQ(read_buffer_.data(), "hello") << "not while something is unused";
  read_buffer_.consume(5);
  read_buffer_.release();
  EXPECT_EQ(read_buffer_.data(), "");
  EXPECT_EQ(blocks_.small.lend().data(), bytes) << "somebody else may have it now";
  say("again");
  fill_to(5);
  EXPECT_EQ(read_buffer_.data(), "again");
}

TEST_F(ReadBufferTest, GivesAPinnedBlockBackWhenUnpinned) {
  say("HEAD");
  fill_to(4);
  const char* const bytes = read_buffer_.data().data();
  read_buffer_.consume(4);
  read_buffer_.pin();
  say("x");
  fill_to(1);
  EXPECT_NE(blocks_.small.lend().data(), bytes) << "still pinned";
  read_buffer_.unpin();
  const Block first = blocks_.small.lend(), second = blocks_.small.lend();
  EXPECT_TRUE(first.data() == bytes || second.data() == bytes);
}

}  // namespace
}  // namespace headgate::net
