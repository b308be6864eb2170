// Which bounds are nearly reached, and that the table is the same everywhere.

#include "headgate/admin/bounds.hpp"

#include "support/metrics_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::admin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class BoundsThatFill : public testing::Test {
 protected:
  /// What is near when so many of 100 are used.
  std::vector<std::pair<std::string, std::string>> near(std::uint64_t used, const std::string& held_by = "") {
    return look(used, 0, held_by).near;
  }
  NearBounds::Found look(std::uint64_t used, std::uint64_t refused, const std::string& held_by = "") {
    return bounds.look(now, {{.bound = "bounds.connections",
                              .used = used,
                              .most = 100,
                              .when_full = {},
                              .held_by = held_by,
                              .refused = refused}});
  }

  NearBounds bounds;
  NearBounds::Steady now{std::chrono::seconds(1000)};
};

TEST_F(BoundsThatFill, AreNearFromNinetyPercentOn) {
  EXPECT_THAT(near(89), IsEmpty());
  EXPECT_THAT(near(90), ElementsAre(Pair("bounds.connections", "90 of 100")));
  EXPECT_THAT(near(99, "192.0.2.7 (60)"),
              ElementsAre(Pair("bounds.connections", "99 of 100, most of it: 192.0.2.7 (60)")));
}

TEST_F(BoundsThatFill, AreReachedWhenAllIsUsedAndTellHowManyWereRefused) {
  EXPECT_THAT(look(50, 7).reached, testing::SizeIs(1)) << "since the start";
  now += NearBounds::kCalm;
  ASSERT_THAT(look(50, 7).reached, IsEmpty());
  const auto found = look(100, 7, "192.0.2.7 (60)");
  EXPECT_THAT(found.near, IsEmpty());
  EXPECT_THAT(found.reached, ElementsAre(Pair("bounds.connections", "100 of 100, most of it: 192.0.2.7 (60)")))
      << "seven were refused before";
  EXPECT_THAT(look(100, 12).reached, ElementsAre(Pair("bounds.connections", "100 of 100, 5 refused")));
  now += NearBounds::kCalm - std::chrono::seconds(1);
  EXPECT_THAT(look(15, 12).reached,
              ElementsAre(Pair("bounds.connections", "15 of 100 now, 100 a moment ago, 5 refused")));
  now += std::chrono::seconds(1);
  EXPECT_THAT(look(15, 12).reached, IsEmpty());
}

TEST_F(BoundsThatFill, AreReachedAlsoWhereOnlyTheRefusalsAreSeen) {
  EXPECT_THAT(look(20, 0).reached, IsEmpty());
  EXPECT_THAT(look(99, 0).reached, IsEmpty());
  EXPECT_THAT(look(99, 3).reached, ElementsAre(Pair("bounds.connections", "99 of 100, 3 refused")));
}

TEST_F(BoundsThatFill, StayNearUntilTheyWereBelowEightyPercentForAWhile) {
  ASSERT_THAT(near(95), testing::SizeIs(1));
  now += std::chrono::seconds(60);
  EXPECT_THAT(near(80), testing::SizeIs(1)) << "eighty is not below it";
  now += NearBounds::kCalm - std::chrono::seconds(1);
  EXPECT_THAT(near(10), testing::SizeIs(1)) << "it may come again at once";
  now += std::chrono::seconds(1);
  EXPECT_THAT(near(10), IsEmpty());
  EXPECT_THAT(near(85), IsEmpty()) << "it begins at ninety";
}

TEST_F(BoundsThatFill, StartTheWaitAnewWhenTheyRiseAgain) {
  ASSERT_THAT(near(95), testing::SizeIs(1));
  for (int i = 0; i < 10; ++i) {
    now += NearBounds::kCalm - std::chrono::seconds(1);
    EXPECT_THAT(near(i % 2 == 0 ? 10 : 85), testing::SizeIs(1)) << i;
  }
}

TEST(NearBoundsOfATable, LeaveOutThoseThatAreThereToBeReached) {
  NearBounds bounds;
  const auto found = bounds.look(
      {},
      {{.bound = "upstreams.app.max_in_flight", .used = 5, .most = 5, .when_full = {}, .full = BoundUse::Full::usual}});
  EXPECT_THAT(found.near, IsEmpty());
  EXPECT_THAT(found.reached, IsEmpty());
}

TEST(NearBoundsOfATable, ForgetWhatAReloadRemoved) {
  NearBounds bounds;
  ASSERT_THAT(bounds.look({}, {{.bound = "a", .used = 5, .most = 5, .when_full = {}}}).reached, testing::SizeIs(1));
  EXPECT_THAT(bounds.look({}, {}).reached, IsEmpty());
}

TEST(BoundsOfAGateway, AreMetricsToo) {
  observe::Registry registry;
  BoundsBoard bounds;
  bounds.add([](auto& table) { table.push_back({.bound = "overrides", .used = 3, .most = 10'000, .when_full = {}}); });
  bounds.add([](auto& table) { table.push_back({.bound = "billing", .used = 1, .most = 7, .when_full = {}}); });
  bounds.collect(registry);
  const auto now = test::MetricsReader::read(registry.text());
  EXPECT_EQ(now.value(R"(headgate_bound_used{bound="overrides"})"), 3);
  EXPECT_EQ(now.value(R"(headgate_bound_limit{bound="overrides"})"), 10'000);
  EXPECT_EQ(now.value(R"(headgate_bound_used{bound="billing"})"), 1);
  EXPECT_EQ(bounds.table().size(), 2U);
}

}  // namespace
}  // namespace headgate::admin
