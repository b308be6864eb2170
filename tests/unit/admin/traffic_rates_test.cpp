// Requests a second over the last minute.

#include "headgate/admin/traffic_rates.hpp"

#include "support/virtual_clock.hpp"

#include "headgate/observe/counters.hpp"
#include "headgate/observe/metrics_family.hpp"

#include <gtest/gtest.h>

namespace headgate::admin {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RatesOfAMinute : public testing::Test {
 protected:
  /// Goes on for so long with so many requests a second, and takes a sample every five seconds.
  void go(int whole_seconds, std::uint64_t requests) {
    for (int i = 0; i < whole_seconds; ++i) {
      now += seconds(1);
      traffic.requests += requests;
      traffic.rejected += requests / 2;
      traffic.failed += requests / 5;
      traffic.received += requests * 10;
      traffic.sent += requests * 100;
      if (++count_ % 5 == 0) window.add(now, traffic);
    }
  }
  Rates rates() const { return window.rates(now, traffic); }

  RateWindow::Steady now{seconds(1000)};
  observe::Traffic traffic;
  RateWindow window{now};

 private:
  int count_ = 0;
};

TEST_F(RatesOfAMinute, AreNotThoseOfAFewMilliseconds) {
  traffic.requests = 3;
  now += milliseconds(2);
  EXPECT_EQ(rates().requests, 3) << "not 1500";
}

TEST_F(RatesOfAMinute, AreThoseSinceTheStartWhenItWasLessThanAMinuteAgo) {
  EXPECT_EQ(rates().over_seconds, 0);
  EXPECT_EQ(rates().requests, 0);
  EXPECT_FALSE(rates().half_within);
  go(3, 10);
  EXPECT_EQ(rates().over_seconds, 3);
  EXPECT_EQ(rates().requests, 10);
  EXPECT_EQ(rates().rejected, 5);
  EXPECT_EQ(rates().failed, 2);
  EXPECT_EQ(rates().received, 100);
  EXPECT_EQ(rates().sent, 1000);
}

TEST_F(RatesOfAMinute, ForgetWhatIsOlder) {
  go(600, 1000);
  go(60, 10);
  EXPECT_EQ(rates().requests, 10);
  EXPECT_EQ(rates().over_seconds, 60);
  go(2, 10);
  EXPECT_EQ(rates().over_seconds, 62) << "the newest sample that is at least a minute old";
  go(2, 0);
  EXPECT_NEAR(rates().requests, 10.0 * 62 / 64, 1e-9);
}

TEST_F(RatesOfAMinute, TellTheTimesAsPrometheusDoes) {
  const auto& bounds = observe::bounds::kRequest;
  traffic.durations[3] = 100;  // above 5 ms, up to 10 ms
  EXPECT_NEAR(*rates().half_within, 0.0075, 1e-9);
  EXPECT_NEAR(*rates().most_within, 0.00975, 1e-9);
  traffic.durations[bounds.size()] = 1000;  // longer than the longest bound
  EXPECT_EQ(*rates().half_within, 10);
}

TEST(TrafficOfARegistry, IsThatOfAllWorkersAndRoutes) {
  observe::Registry registry;
  const observe::RouteCounters one(registry, 0, "a"), two(registry, 1, "b"), none(registry, 0, "-");
  one.count("GET", 200, {.whole = milliseconds(1), .overhead = {}, .received = 1, .sent = 10});
  two.count("GET", 429, {.whole = milliseconds(7), .overhead = {}, .received = 2, .sent = 20});
  two.count("PUT", 503, {.whole = milliseconds(7), .overhead = {}, .received = 3, .sent = 30});
  none.count("GET", 404, {.whole = seconds(70), .overhead = {}, .received = 0, .sent = 1});
  one.count("GET", 0, {.whole = milliseconds(1), .overhead = {}, .received = 0, .sent = 0});
  const auto traffic = registry.traffic();
  EXPECT_EQ(traffic.requests, 5U);
  EXPECT_EQ(traffic.rejected, 1U);
  EXPECT_EQ(traffic.failed, 1U);
  EXPECT_EQ(traffic.received, 6U);
  EXPECT_EQ(traffic.sent, 61U);
  EXPECT_EQ(traffic.durations[0], 2U);
  EXPECT_EQ(traffic.durations[3], 2U);
  EXPECT_EQ(traffic.durations.back(), 1U);
}

class TrafficRatesOfAGateway : public testing::Test {
 protected:
  void answer(int requests) {
    for (int i = 0; i < requests; ++i)
      counters_.count("GET", 200, {.whole = milliseconds(1), .overhead = {}, .received = 1, .sent = 10});
  }

  headgate::test::VirtualClock clock;
  observe::Registry registry;

 private:
  const observe::RouteCounters counters_{registry, 0, "a"};

 protected:
  TrafficRates rates{clock, registry};
};

TEST_F(TrafficRatesOfAGateway, ForgetWhatWasMoreThanAMinuteAgo) {
  rates.start();
  answer(600);
  clock.advance(seconds(60));
  EXPECT_EQ(rates.now().requests, 10);
  ASSERT_EQ(rates.by_route(seconds(60)).routes.size(), 1U);
  EXPECT_EQ(rates.by_route(seconds(60)).routes.front().requests, 10);
  clock.advance(seconds(65));
  EXPECT_EQ(rates.now().requests, 0);
}

TEST_F(TrafficRatesOfAGateway, HaveARowOfTheClocksTimeForTenSeconds) {
  rates.start();
  answer(30);
  clock.advance(seconds(10));
  ASSERT_EQ(rates.history().size(), 1U);
  EXPECT_EQ(rates.history().front().end, clock.wall());
  EXPECT_EQ(rates.history().front().all.requests, 3);
}

TEST_F(TrafficRatesOfAGateway, TakeNoSampleAfterTheirStop) {
  rates.start();
  clock.advance(seconds(10));
  rates.stop();
  rates.stop();
  clock.advance(seconds(60));
  EXPECT_EQ(clock.armed(), 0U);
  EXPECT_EQ(rates.history().size(), 1U);
}

}  // namespace
}  // namespace headgate::admin
