// Bodies whose sender is slower than it may be.

#include "unit/net/loop.hpp"

#include "headgate/net/h1_body.hpp"

namespace headgate::net {
namespace {

using test::milliseconds;
using test::seconds;
namespace error = boost::asio::error;
using Kind = http::h1::WireFraming::Kind;

/// What is demanded of the sender of a body, once a test says so.
MinPace pace_of(const void* owner) { return *static_cast<const MinPace*>(owner); }

class H1BodyPaceTest : public test::Loop {
 protected:
  H1BodyPaceTest() { body_.demand_pace({&pace_of, &pace_}); }
  /// One byte after another until the reader gives up, for `most` at most.
  void drip(milliseconds most) {
    bool done = false;
    const auto reading = [&]() -> Task<void> {
      while (!body_.ended() && !failed_) {
        const auto got = co_await body_.read();
        if (got.has_error()) failed_ = got.error();
      }
      done = true;
    };
    spawn(reading(), "test");
    const auto end = std::chrono::steady_clock::now() + most;
    while (!done && std::chrono::steady_clock::now() < end) {
      say("x");
      run_until(done, milliseconds(20));
    }
    if (!done) body_.cancel();
    run_until(done);
  }
  Blocks blocks_{BlockPool(2048, 4), BlockPool(8192, 4)};
  ReadBuffer read_buffer_{near_, blocks_};
  H1Body body_{read_buffer_, seconds(5)};
  error_code failed_;
  MinPace pace_{10'000, milliseconds(200)};
};

TEST_F(H1BodyPaceTest, FailsIfItTrickles) {
  body_.begin({Kind::length, 1'000'000});
  drip(seconds(5));
  EXPECT_EQ(failed_, too_slow());
}

TEST_F(H1BodyPaceTest, FailsIfItTricklesAfterAFastBeginning) {
  body_.begin({Kind::length, 1'000'000});
  say(std::string(60'000, 'x'));
  drip(seconds(5));
  EXPECT_EQ(failed_, too_slow());
}

TEST_F(H1BodyPaceTest, IsOnlyLateIfNothingComes) {
  body_.timeout(milliseconds(200));
  body_.begin({Kind::length, 10});
  const auto reading = [&]() -> Task<void> { failed_ = (co_await body_.read()).error(); };
  ASSERT_TRUE(finish(reading()));
  EXPECT_EQ(failed_, error::timed_out);
}

TEST_F(H1BodyPaceTest, IsNotTooSlowBecauseOthersBeforeItCameLate) {
  for (int i = 0; i < 6; ++i) {
    body_.begin({Kind::length, 1});
    bool done = false;
    const auto reading = [&]() -> Task<void> {
      const auto got = co_await body_.read();
      if (got.has_error()) failed_ = got.error();
      done = true;
    };
    spawn(reading(), "test");
    run_until(done, milliseconds(50));
    say("x");
    ASSERT_TRUE(run_until(done));
    ASSERT_FALSE(failed_) << failed_.message();
  }
}

TEST_F(H1BodyPaceTest, MayTrickleIfNothingIsDemanded) {
  pace_ = {};
  body_.begin({Kind::length, 1'000'000});
  drip(milliseconds(600));
  EXPECT_EQ(failed_, error::operation_aborted);
}

}  // namespace
}  // namespace headgate::net
