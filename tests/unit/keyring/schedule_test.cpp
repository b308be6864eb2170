// When a URL is fetched next, on a clock that is a variable.
#include "headgate/keyring/schedule.hpp"

#include <gtest/gtest.h>

namespace headgate::keyring {
namespace {

using namespace std::chrono_literals;

class KeyringSchedule : public testing::Test {
 protected:
  /// How long is waited from now on.
  Duration wait() const { return std::chrono::duration_cast<Duration>(schedule.next() - now); }
  /// Lets the next fetch begin when it is due.
  void begin() {
    now = std::max(now, schedule.next());
    schedule.began(now);
  }
  Duration wait_after(std::optional<Duration> lifetime) {
    begin();
    schedule.succeeded(now, lifetime, 0);
    return wait();
  }
  Duration wait_after_failure() {
    begin();
    schedule.failed(now, 0);
    return wait();
  }

  Schedule schedule{5min, 10s, RefreshPolicy{}};
  Schedule::Time now{1h};
};

TEST_F(KeyringSchedule, BeginsAtOnce) { EXPECT_LE(wait(), 0s); }

TEST_F(KeyringSchedule, WaitsAsLongAsTheAnswerSaysWithinReason) {
  EXPECT_EQ(wait_after(1h), 1h);
  EXPECT_EQ(wait_after(0s), 1min);
  EXPECT_EQ(wait_after(24h * 365), 24h);
  EXPECT_EQ(wait_after(std::nullopt), 5min) << "or as the configuration says";
}

TEST_F(KeyringSchedule, WaitsLongerAfterEachFailureAndNotForEver) {
  for (const auto expected : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) EXPECT_EQ(wait_after_failure(), expected);
  EXPECT_EQ(schedule.failures(), 8U);
  EXPECT_EQ(wait_after(std::nullopt), 5min);
  EXPECT_EQ(wait_after_failure(), 1s) << "and begins anew after a success";
}

TEST_F(KeyringSchedule, IsShortenedByUpToATenth) {
  begin();
  schedule.succeeded(now, 100min, 0.5);
  EXPECT_EQ(wait(), 95min);
  schedule.failed(now, 0.999);
  EXPECT_GE(wait(), 900ms);
  EXPECT_LT(wait(), 901ms);
}

TEST_F(KeyringSchedule, FetchesAgainForAnUnknownKeyButNotOftenerThanEachRefetch) {
  wait_after(1h);
  schedule.want();
  EXPECT_EQ(wait(), 10s) << "since it has only just asked";
  EXPECT_EQ(wait_after(1h), 1h) << "and is not asked twice for one";
  now += 30min;
  schedule.want();
  EXPECT_LE(wait(), 0s);
}

TEST_F(KeyringSchedule, RemembersAKeyThatIsWantedWhileAFetchIsUnderWay) {
  begin();
  schedule.want();
  now += 2s;
  schedule.succeeded(now, 1h, 0);
  EXPECT_EQ(wait(), 8s);
}

TEST_F(KeyringSchedule, IsNotHurriedByTokensWhereTheIssuerIsInTrouble) {
  for (int i = 0; i < 10; ++i) wait_after_failure();
  schedule.want();
  EXPECT_EQ(wait(), 60s);
}

TEST(KeyringLifetime, IsTheMaxAgeLessTheAge) {
  EXPECT_EQ(lifetime("max-age=3600", ""), 1h);
  EXPECT_EQ(lifetime("public , Max-Age=3600,must-revalidate", "600"), 50min);
  EXPECT_EQ(lifetime("max-age=\"60\"", " 10 "), 50s);
  EXPECT_EQ(lifetime("max-age=60", "61"), 0s);
  EXPECT_EQ(lifetime("max-age=60", "nonsense"), 60s);
  EXPECT_GT(lifetime("max-age=99999999999999999999", ""), 24h * 365);
}

TEST(KeyringLifetime, IsUnsetIfTheAnswerSaysNothing) {
  for (const char* text : {"", ",", "no-store", "s-maxage=60", "max-age", "max-age=", "max-age=-1", "max-age=1.5",
                           "max-age=1h", "x-max-age=60"}) {
    EXPECT_EQ(lifetime(text, ""), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace headgate::keyring
