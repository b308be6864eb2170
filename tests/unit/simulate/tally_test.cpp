// What is counted of a simulation, by limit, tier and key.

#include "headgate/simulate/tally.hpp"

#include "unit/simulate/policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace headgate::simulate {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::kFirst;
using test::limited;
using test::simulated;

std::vector<http::Field> tenant(const char* name, const char* plan) {
  return {{http::Known::unknown, "x-tenant", name}, {http::Known::unknown, "x-plan", plan}};
}

TEST(Tally, CountsRequestsAndKeysOfALimit) {
  const auto found = simulated(limited("3/minute"), {{"192.0.2.1", 10}, {"192.0.2.2", 2}, {"192.0.2.3", 4}}).figures;
  EXPECT_EQ(found.requests, 16U);
  EXPECT_EQ(found.refused, 8U);
  EXPECT_EQ(found.keys, 3U);
  ASSERT_EQ(found.limits.size(), 1U);
  const auto& limit = found.limits.front();
  EXPECT_EQ(limit.name, "each");
  EXPECT_EQ(limit.per, "client_ip");
  EXPECT_FALSE(limit.observed);
  ASSERT_EQ(limit.tiers.size(), 1U);
  const auto& tier = limit.tiers.front();
  EXPECT_EQ(tier.name, "");
  EXPECT_THAT(tier.rates, testing::ElementsAre("3/minute"));
  EXPECT_EQ(tier.requests, 16U);
  EXPECT_EQ(tier.rejected, 8U);
  EXPECT_EQ(tier.keys, 3U);
  EXPECT_EQ(tier.keys_rejected, 2U);
  ASSERT_EQ(limit.worst.size(), 2U);
  EXPECT_EQ(limit.worst[0].key, "192.0.2.1");
  EXPECT_EQ(limit.worst[0].requests, 10U);
  EXPECT_EQ(limit.worst[0].rejected, 7U);
  EXPECT_EQ(limit.worst[1].key, "192.0.2.3");
}

TEST(Tally, CountsEachTierByItself) {
  const auto found = simulated(test::saas(), {{"192.0.2.1", 6, {}, {}, tenant("acme", "free")},
                                              {"192.0.2.2", 6, {}, {}, tenant("bolt", "pro")},
                                              {"192.0.2.3", 1, {}, {}, tenant("clay", "unknown")}})
                         .figures;
  ASSERT_EQ(found.limits.size(), 2U);
  const auto& plan = found.limits[1];
  ASSERT_EQ(plan.tiers.size(), 2U);
  EXPECT_EQ(plan.tiers[0].name, "free");
  EXPECT_EQ(plan.tiers[0].requests, 7U);
  EXPECT_EQ(plan.tiers[0].rejected, 4U);
  EXPECT_EQ(plan.tiers[1].name, "pro");
  EXPECT_EQ(plan.tiers[1].requests, 6U);
  EXPECT_EQ(plan.tiers[1].rejected, 1U);
  ASSERT_EQ(plan.worst.size(), 2U);
  EXPECT_EQ(plan.worst[0].key, "acme");
  EXPECT_EQ(plan.worst[0].tier, "free");
}

TEST(Tally, SaysWhatItCouldNotDecide) {
  const auto found =
      simulated(test::saas(), {{"192.0.2.1", 6, {}, {}, tenant("acme", "free")}, {"192.0.2.2", 3}}).figures;
  EXPECT_EQ(found.limits[0].undecided, 0U);
  EXPECT_EQ(found.limits[1].undecided, 3U);
  EXPECT_EQ(found.limits[1].tiers[0].requests, 6U);
}

TEST(Tally, SaysWhatWasCountedByAnotherKey) {
  const auto config = test::config_of(
      R"("limits": {"plan": {"rate": "1/minute", "per": "header:x-tenant", "if_absent": "client_ip"}},
         "routes": [{"path": "/*", "to": "app", "limits": ["plan"]}])");
  const auto found = simulated(config, {{"192.0.2.1", 2, {}, {}, tenant("acme", "free")}, {"192.0.2.2", 3}}).figures;
  const auto& plan = found.limits.front();
  EXPECT_EQ(plan.replaced, 3U);
  EXPECT_EQ(plan.undecided, 0U);
  EXPECT_EQ(plan.tiers[0].rejected, 3U);
  EXPECT_EQ(plan.worst[0].key, "client_ip=192.0.2.2");
}

TEST(Tally, MarksWhatOnlyObserves) {
  const auto found = simulated(limited("1/minute", R"(, "mode": "observe")"), {{"192.0.2.1", 5}}).figures;
  EXPECT_EQ(found.refused, 0U);
  EXPECT_TRUE(found.limits[0].observed);
  EXPECT_EQ(found.limits[0].tiers[0].rejected, 4U);
}

TEST(Tally, CountsWaitsAndSuspensions) {
  const auto delayed =
      simulated(limited("60/minute", R"(, "burst": 3, "wait": "5s", "algorithm": "leaky_bucket")"), {{"192.0.2.1", 3}})
          .figures.limits[0]
          .tiers[0];
  EXPECT_GT(delayed.delayed, 0U);
  EXPECT_GE(delayed.longest_delay, seconds(1));
  const auto banned = simulated(limited("1/minute", R"(, "ban": {"after": 3, "within": "1m", "for": "10m"})"),
                                {{"192.0.2.1", 10}, {"192.0.2.2", 1}})
                          .figures;
  EXPECT_GT(banned.limits[0].banned, 0U);
  EXPECT_EQ(banned.limits[0].keys_banned, 1U);
  EXPECT_EQ(banned.limits[0].tiers[0].requests + banned.limits[0].banned, 11U);
  EXPECT_EQ(banned.refused, 9U);
}

TEST(Tally, AddsNoWaitForAPlaceToThatForAPermit) {
  const auto config = test::config_of(R"("limits": {"each": {"in_flight": 1, "wait": "30s", "per": "client_ip"}},
                         "routes": [{"path": "/*", "to": "app", "limits": ["each"]}])",
                                      R"({"servers": ["http://127.0.0.1:3000"],
                          "concurrency": {"in_flight": 1, "queue": {"length": 10, "wait": "30s"}}})");
  const auto answer = seconds(1);
  // The second request of the first address waits a second for its permit, and one for the place that the other took.
  const auto found =
      simulated(config, {{"192.0.2.1", 2, {}, {}, {}, answer}, {"192.0.2.2", 1, {}, {}, {}, answer}}).figures;
  EXPECT_EQ(found.refused, 0U);
  const auto& tier = found.limits[0].tiers[0];
  EXPECT_EQ(tier.delayed, 1U);
  EXPECT_EQ(tier.longest_delay, seconds(1));
  EXPECT_EQ(found.upstreams[0].queued, 2U);
}

TEST(Tally, KnowsWhenItRejects) {
  const auto found =
      simulated(limited("1/hour"), {{"192.0.2.1", 4, seconds(1)}, {"192.0.2.1", 20, seconds(1), minutes(30)}}).figures;
  const auto& tier = found.limits[0].tiers[0];
  EXPECT_EQ(tier.worst.begin, kFirst + minutes(30));
  EXPECT_EQ(tier.worst.count, 20U);
  EXPECT_EQ(tier.minutes_rejecting, 2U);
  EXPECT_EQ(found.series_begin, kFirst);
  EXPECT_EQ(tier.rejected_series.size(), found.requests_series.size());
  EXPECT_EQ(std::accumulate(tier.rejected_series.begin(), tier.rejected_series.end(), 0U), 23U);
  EXPECT_EQ(found.until, kFirst + minutes(30) + seconds(19));
}

TEST(Tally, KeepsEachRequestIfAsked) {
  const auto run = simulated(limited("2/minute"), {{"192.0.2.1", 4}}, {.keep = RunTally::Keep::each_request});
  EXPECT_EQ(run.tally->kept(), 4U);
  EXPECT_FALSE(run.tally->refused(1));
  EXPECT_TRUE(run.tally->refused(2));
  EXPECT_FALSE(run.tally->refused(99));
}

TEST(Tally, OfNothingIsEmpty) {
  const auto found = simulated(limited("1/minute"), {}).figures;
  EXPECT_EQ(found.requests, 0U);
  EXPECT_EQ(found.limits[0].tiers[0].requests, 0U);
  EXPECT_TRUE(found.requests_series.empty());
}

TEST(TalliedKeysTest, CountOnlyKeysForWhichThereIsRoom) {
  TalliedKeys::Room room{.keys = 2, .bytes = 4};
  TalliedKeys table(room);
  EXPECT_TRUE(table.add("one", true));
  EXPECT_TRUE(table.add("three", true));
  EXPECT_FALSE(table.add("four", true));
  EXPECT_TRUE(table.add("one", true));
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.find("one")->rejected, 2U);
  EXPECT_EQ(table.find("four"), nullptr);
  std::vector<std::string> texts;
  table.each([&](std::uint64_t digest, const KeyCount&) { texts.emplace_back(table.text(digest)); });
  EXPECT_THAT(texts, testing::UnorderedElementsAre("one", "")) << "there is no room for the longer text";
}

}  // namespace
}  // namespace headgate::simulate
