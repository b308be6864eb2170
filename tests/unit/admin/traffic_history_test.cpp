// The last quarter of an hour, for who comes to look.

#include "headgate/admin/traffic_history.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::admin {
namespace {

using std::chrono::seconds;

class AQuarterOfAnHour : public testing::Test {
 protected:
  /// Goes on for so long with so many requests a second, half of them 429, and is told every five seconds.
  void go(int whole_seconds, std::uint64_t requests) {
    for (int i = 0; i < whole_seconds; ++i) {
      steady += seconds(1);
      now += seconds(1);
      auto& route = traffic["a"];
      route.requests += requests;
      route.rejected += requests / 2;
      route.classes[2] += requests - requests / 2;
      if (++count_ % 5 == 0) history.add(now, steady, traffic);
    }
  }

  TrafficHistory::Steady steady{seconds(1000)};
  Instant now{seconds(1'700'000'000)};
  observe::TrafficByRoute traffic;
  TrafficHistory history{steady};

 private:
  int count_ = 0;
};

TEST_F(AQuarterOfAnHour, HasARowForTenSeconds) {
  go(9, 20);
  EXPECT_TRUE(history.rows().empty());
  go(11, 20);
  const auto rows = history.rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].end, now);
  EXPECT_EQ(rows[1].seconds, 10);
  EXPECT_EQ(rows[1].all.requests, 20);
  EXPECT_EQ(rows[1].all.rejected, 10);
  EXPECT_EQ(rows[1].all.by_status[2], 10);
}

TEST_F(AQuarterOfAnHour, KeepsEachBucketsOwnRate) {
  go(10, 20);
  go(10, 0);
  go(10, 7);
  const auto rows = history.rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].all.requests, 20);
  EXPECT_EQ(rows[1].all.requests, 0);
  EXPECT_EQ(rows[2].all.requests, 7);
}

TEST_F(AQuarterOfAnHour, IsNeverLonger) {
  go(3600, 1);
  const auto rows = history.rows();
  ASSERT_EQ(rows.size(), TrafficHistory::kBuckets);
  EXPECT_EQ(rows.back().end - rows.front().end, seconds(890));
}

}  // namespace
}  // namespace headgate::admin
