// Requests a second by route, over the last ten seconds and the last minute.

#include "headgate/admin/route_traffic.hpp"

#include "headgate/observe/counters.hpp"
#include "headgate/observe/metrics_family.hpp"

#include <gtest/gtest.h>

namespace headgate::admin {
namespace {

class RoutesOfAMinute : public testing::Test {
 protected:
  /// Goes on for so long with so many requests a second to a route, and takes a sample every five seconds.
  void go(const std::string& route, int whole_seconds, std::uint64_t requests) {
    for (int i = 0; i < whole_seconds; ++i) {
      now += std::chrono::seconds(1);
      auto& counted = traffic[route];
      counted.requests += requests;
      counted.classes[2] += requests;
      if (++count_ % 5 == 0) window.add(now, traffic);
    }
  }
  RoutesRates rates(std::chrono::seconds of) const { return window.rates(now, traffic, of); }

  RouteWindow::Steady now{std::chrono::seconds(1000)};
  observe::TrafficByRoute traffic;
  RouteWindow window{now};

 private:
  int count_ = 0;
};

TEST_F(RoutesOfAMinute, TellTheBusiestFirstAndTheirSum) {
  go("a", 10, 5);
  go("b", 10, 20);
  const auto minute = rates(std::chrono::seconds(60));
  ASSERT_EQ(minute.routes.size(), 2U);
  EXPECT_EQ(minute.routes[0].route, "b");
  EXPECT_EQ(minute.over_seconds, 20);
  EXPECT_EQ(minute.routes[0].requests, 10);
  EXPECT_EQ(minute.all.requests, 12.5);
  EXPECT_EQ(minute.all.by_status[2], 12.5);
}

TEST_F(RoutesOfAMinute, LeaveOutARouteThatHadNothingInTheWindow) {
  go("a", 30, 5);
  go("b", 20, 20);
  const auto lately = rates(std::chrono::seconds(10));
  ASSERT_EQ(lately.routes.size(), 1U);
  EXPECT_EQ(lately.routes[0].route, "b");
  EXPECT_EQ(lately.routes[0].requests, 20);
  EXPECT_EQ(lately.over_seconds, 10);
  EXPECT_EQ(rates(std::chrono::seconds(60)).routes.size(), 2U);
}

TEST_F(RoutesOfAMinute, KeepNoMoreSamplesThanTheMinuteNeeds) {
  go("a", 600, 100);
  go("a", 60, 1);
  EXPECT_EQ(rates(std::chrono::seconds(60)).all.requests, 1);
}

TEST_F(RoutesOfAMinute, AreZeroBeforeTheFirstRequest) {
  EXPECT_EQ(rates(std::chrono::seconds(10)).all.requests, 0);
  EXPECT_FALSE(rates(std::chrono::seconds(10)).all.whole.p99);
  traffic["a"].requests = 3;
  EXPECT_EQ(rates(std::chrono::seconds(10)).all.requests, 3) << "not thousands, over no time";
}

TEST_F(RoutesOfAMinute, TellTheTimesOfTheWholeAndOfTheGateway) {
  traffic["a"].requests = 100;
  traffic["a"].durations[3] = 100;  // above 5 ms, up to 10 ms
  traffic["a"].overheads[0] = 100;  // up to 50 µs
  const auto one = rates(std::chrono::seconds(10)).routes.at(0);
  EXPECT_NEAR(*one.whole.p50, 0.0075, 1e-9);
  EXPECT_NEAR(*one.whole.p99, 0.00995, 1e-9);
  EXPECT_NEAR(*one.own.p50, 0.000025, 1e-9);
}

TEST(TrafficByRouteOfARegistry, AddsUpWorkersAndTellsStatusesApart) {
  observe::Registry registry;
  const observe::RouteCounters one(registry, 0, "a"), other(registry, 1, "a"), second(registry, 1, "b");
  for (const unsigned status : {200U, 204U, 304U, 402U, 404U, 429U, 503U, 0U}) one.count("GET", status, Duration(1000));
  other.count("GET", 200, Duration(1000));
  second.count("POST", 500, Duration(1000));
  const auto traffic = registry.traffic_by_route();
  ASSERT_EQ(traffic.size(), 2U);
  const auto& a = traffic.at("a");
  EXPECT_EQ(a.requests, 9U);
  EXPECT_EQ(a.rejected, 2U) << "402 says that a budget is spent";
  EXPECT_EQ(a.failed, 1U);
  const std::array<std::uint64_t, 6> classes{1, 0, 3, 1, 1, 1};
  EXPECT_EQ(a.classes, classes) << "rejections are apart, and so is no answer";
  EXPECT_EQ(traffic.at("b").failed, 1U);
}

}  // namespace
}  // namespace headgate::admin
