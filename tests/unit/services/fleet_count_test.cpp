#include "headgate/services/fleet_count.hpp"

#include <gtest/gtest.h>

namespace headgate::services {
namespace {

using namespace std::chrono_literals;

class FleetCounts : public testing::Test {
 protected:
  /// Redis says so every five seconds.
  void told(std::uint32_t gateways, std::chrono::seconds during) {
    for (auto left = during; left > 0s; left -= 5s) count.told(gateways, now += 5s);
  }

  FleetCount count;
  FleetCount::Steady now{1h};
};

TEST_F(FleetCounts, AreNotKnownBeforeRedisHasSaidThem) {
  EXPECT_EQ(count.most(), 0U);
  EXPECT_EQ(count.lasting(), 0U);
}

TEST_F(FleetCounts, GrowAtOnceAndShrinkAfterAMinute) {
  told(2, 5s);
  EXPECT_EQ(count.most(), 2U);
  told(10, 30s);
  EXPECT_EQ(count.most(), 10U);
  told(2, 55s);
  EXPECT_EQ(count.most(), 10U);
  told(2, 15s);
  EXPECT_EQ(count.most(), 2U);
}

TEST_F(FleetCounts, OutliveAnOutageAndARedisThatHasForgottenAll) {
  told(4, 60s);
  now += 1h;  // away
  EXPECT_EQ(count.most(), 4U);
  told(1, 30s);
  EXPECT_EQ(count.most(), 4U) << "the others have not said yet that they are there";
  told(1, 60s);
  EXPECT_EQ(count.most(), 1U);
}

TEST_F(FleetCounts, LastOnceTheyAreKnownForAMinute) {
  told(4, 55s);
  EXPECT_EQ(count.lasting(), 0U);
  told(5, 10s);
  EXPECT_EQ(count.lasting(), 4U);
  told(5, 60s);
  EXPECT_EQ(count.lasting(), 5U);
  told(3, 5s);
  EXPECT_EQ(count.lasting(), 3U);
}

TEST_F(FleetCounts, AreForgottenWithTheirRedis) {
  told(4, 60s);
  count.forget();
  EXPECT_EQ(count.most(), 0U);
}

}  // namespace
}  // namespace headgate::services
