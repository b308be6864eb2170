#include "headgate/net/pace.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace headgate::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MinPace kPace{500, seconds(10)};

/// A peer that is waited for again and again.
class PaceTest : public testing::Test {
 protected:
  /// It is waited for `time`, after which `bytes` came. False: it is too slow.
  bool waits(Duration time, std::uint64_t bytes, const MinPace& pace = kPace) {
    watch_.begin(now_, pace);
    now_ += time;
    total_ += time;
    watch_.end(now_);
    bytes_ += bytes;
    return watch_.keeps_up(bytes_);
  }
  /// How long it can send `bytes` every `time`.
  Duration lasts(Duration time, std::uint64_t bytes) {
    const auto from = total_;
    while (waits(time, bytes) && total_ - from < seconds(1000)) continue;
    return total_ - from;
  }

  PaceWatch watch_;
  PaceWatch::Steady now_{seconds(1'000'000)};
  Duration total_{0};
  std::uint64_t bytes_ = 0;
};

TEST_F(PaceTest, FindsOutATrickleWhenItsTimeIsOver) { EXPECT_EQ(lasts(seconds(1), 1), seconds(10)); }

TEST_F(PaceTest, FindsOutATrickleWithinTwiceTheTimeWhateverCameBefore) {
  for (const Duration before : {milliseconds(1), milliseconds(3700), milliseconds(9999)}) {
    ASSERT_TRUE(waits(before, 100'000'000));
    EXPECT_LE(lasts(milliseconds(100), 1), seconds(20)) << before.count();
  }
}

TEST_F(PaceTest, LetsWhoeverIsJustFastEnoughGoOn) { EXPECT_EQ(lasts(milliseconds(500), 250), seconds(1000)); }

TEST_F(PaceTest, LetsWhoeverSendsMuchNowAndThenGoOn) { EXPECT_GE(lasts(milliseconds(9900), 6000), seconds(1000)); }

TEST_F(PaceTest, EndsWhoeverIsALittleTooSlow) { EXPECT_LE(lasts(milliseconds(500), 249), seconds(20)); }

TEST_F(PaceTest, CountsOnlyTheTimeInWhichItWaits) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(waits(milliseconds(100), 1));
    now_ += seconds(60);  // the other side takes its time
  }
  EXPECT_LE(lasts(milliseconds(100), 1), seconds(5));
}

TEST_F(PaceTest, DemandsNothingWithoutARate) {
  const MinPace none;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(waits(seconds(60), 0, none));
  EXPECT_EQ(watch_.begin(now_, none), Duration::max());
}

TEST_F(PaceTest, SaysWhenToLookAgain) {
  EXPECT_EQ(watch_.begin(now_, kPace), seconds(10));
  EXPECT_EQ(watch_.begin(now_ + seconds(4), kPace), seconds(6)) << "the wait goes on";
  EXPECT_EQ(watch_.end(now_ + seconds(5)), seconds(1));
  EXPECT_EQ(watch_.end(now_ + seconds(9)), Duration(0)) << "it did not wait";
  EXPECT_EQ(watch_.begin(now_ + seconds(50), kPace), seconds(5));
}

}  // namespace
}  // namespace headgate::net
