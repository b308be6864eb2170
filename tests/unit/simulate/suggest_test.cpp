#include "headgate/simulate/suggest.hpp"

#include "simulate/sizes.hpp"
#include "unit/simulate/policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::simulate {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::limited;
using testing::ElementsAre;

Suggestions suggested(const config::Config& config, const std::vector<test::Group>& groups, double share) {
  const auto base = test::simulated(config, groups);
  return suggest(config, base.figures, {.share = share, .arrivals = [&](const TriedPolicy&) {
                                          return std::make_unique<test::Groups>(groups);
                                        }});
}

TEST(Sizes, HaveTwoDigits) {
  EXPECT_EQ(size_at(0), 1U);
  EXPECT_EQ(size_at(98), 99U);
  EXPECT_EQ(size_at(99), 100U);
  EXPECT_EQ(size_at(100), 110U);
  EXPECT_EQ(size_at(188), 990U);
  EXPECT_EQ(size_at(189), 1000U);
  EXPECT_EQ(size_at(sizes() - 1), kMaxRequests);
}

TEST(SizeSearches, FindTheSmallestWhateverItIs) {
  for (const std::size_t count : {1U, 2U, 7U})
    for (std::size_t most = 0; most < 40; ++most)
      for (std::size_t smallest = 0; smallest <= most; ++smallest) {
        SizeSearch search(most);
        unsigned rounds = 0;
        while (!search.done()) {
          ASSERT_LT(++rounds, 10U);
          std::vector<std::size_t> tried;
          for (std::size_t nth = 0; nth < count; ++nth) tried.push_back(search.tried(nth, count));
          for (const auto index : tried) search.tell(index, index >= smallest);
        }
        EXPECT_EQ(search.found(), smallest) << most << ", " << count << " at a time";
      }
}

TEST(Suggestions, AreTheSmallestRateAndBurst) {
  // One address comes 42 times at once: that many must be allowed at once, or none under a share of nothing.
  const auto found = suggested(limited("5/hour"), {{"192.0.2.1", 42}, {"192.0.2.2", 3}}, 0);
  ASSERT_EQ(found.of_tiers.size(), 1U);
  const auto& one = found.of_tiers.front();
  EXPECT_EQ(one.limit, "each");
  EXPECT_THAT(one.now, ElementsAre("5/hour"));
  EXPECT_THAT(one.rates, ElementsAre("42/hour"));
  EXPECT_EQ(one.requests, 45U);
  EXPECT_EQ(one.rejected, 0U);
  EXPECT_EQ(one.burst, 42U);
  EXPECT_LE(found.runs, 10U);
}

TEST(Suggestions, MayRejectUnderTheShare) {
  const auto found = suggested(limited("5/hour"), {{"192.0.2.1", 42}, {"192.0.2.2", 58}}, 0.05);
  const auto& one = found.of_tiers.front();
  EXPECT_THAT(one.rates, ElementsAre("54/hour")) << "four of a hundred are rejected then";
  EXPECT_EQ(one.rejected, 4U);
}

TEST(Suggestions, ComeForEachTierAndEachRate) {
  const auto config = test::config_of(
      R"("identity": {"trusted_proxies": ["192.0.2.0/24"]},
         "limits": {"plan": {"per": "client_ip", "tier_from": "header:x-plan", "default_tier": "free",
                             "tiers": {"free": {"rate": ["2/minute", "3/hour"]}, "pro": {"rate": "1/minute"},
                                       "big": "unlimited"}}},
         "routes": [{"path": "/*", "to": "app", "limits": ["plan"]}])");
  const std::vector<http::Field> pro{{http::Known::unknown, "x-plan", "pro"}};
  const auto found = suggested(
      config, {{"192.0.2.1", 3, {}, {}}, {"192.0.2.1", 3, {}, minutes(30)}, {"192.0.2.2", 7, {}, {}, pro}}, 0);
  ASSERT_EQ(found.of_tiers.size(), 2U);
  EXPECT_EQ(found.of_tiers[0].tier, "free");
  EXPECT_THAT(found.of_tiers[0].rates, ElementsAre("3/minute", "4/hour"))
      << "in half an hour, two of four have come back";
  EXPECT_EQ(found.of_tiers[0].burst, 0U) << "with two rates there is none to choose";
  EXPECT_EQ(found.of_tiers[1].tier, "pro");
  EXPECT_THAT(found.of_tiers[1].rates, ElementsAre("7/minute"));
}

TEST(Suggestions, KeepABurstThatIsWritten) {
  const auto found = suggested(limited("1/second", R"(, "burst": 10)"),
                               {{"192.0.2.1", 30, seconds(1)}, {"192.0.2.1", 9, {}, minutes(5)}}, 0);
  EXPECT_THAT(found.of_tiers.front().rates, ElementsAre("1/second, burst 10"));
  EXPECT_EQ(found.of_tiers.front().burst, 9U);
}

TEST(Suggestions, CountRequestsAtTheSameTime) {
  const auto config = test::config_of(R"("limits": {"each": {"in_flight": 1, "per": "client_ip"}},
         "routes": [{"path": "/*", "to": "app", "limits": ["each"]}])");
  const auto found = suggested(config, {{"192.0.2.1", 6, seconds(1), {}, {}, seconds(3)}}, 0);
  EXPECT_THAT(found.of_tiers.front().rates, ElementsAre("3 in flight"));
}

TEST(Suggestions, LeaveOutWhatWasAskedAboutNothing) {
  EXPECT_TRUE(suggested(limited("5/hour"), {}, 0.01).of_tiers.empty());
}

TEST(Suggestions, OfSeveralLimitsDoNotDependOnEachOther) {
  const auto config = test::config_of(R"("limits": {"each": {"rate": "1/hour", "per": "client_ip"},
                                                    "all": {"rate": "1/hour", "per": "total"}},
         "routes": [{"path": "/*", "to": "app", "limits": ["each", "all"]}])");
  const auto found = suggested(config, {{"192.0.2.1", 20}, {"192.0.2.2", 30}}, 0);
  ASSERT_EQ(found.of_tiers.size(), 2U);
  EXPECT_THAT(found.of_tiers[0].rates, ElementsAre("30/hour"));
  EXPECT_THAT(found.of_tiers[1].rates, ElementsAre("50/hour"));
}

TEST(Suggestions, OfBurstsDoNotDependOnALimitThatHasNone) {
  const auto config = test::config_of(R"("limits": {"each": {"rate": "1/hour", "per": "client_ip"},
                                                    "all": {"rate": "1/hour", "per": "total", "algorithm": "sliding_window"}},
         "routes": [{"path": "/*", "to": "app", "limits": ["each", "all"]}])");
  const auto found = suggested(config, {{"192.0.2.1", 20}, {"192.0.2.2", 30}}, 0);
  ASSERT_EQ(found.of_tiers.size(), 2U);
  EXPECT_EQ(found.of_tiers[0].burst, 30U);
  EXPECT_EQ(found.of_tiers[1].burst, 0U);
}

}  // namespace
}  // namespace headgate::simulate
