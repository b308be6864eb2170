#include "headgate/simulate/compare.hpp"

#include "unit/simulate/policies.hpp"

#include <gtest/gtest.h>

namespace headgate::simulate {
namespace {

using test::limited;

Comparison compared(const config::Config& before, const config::Config& after, const std::vector<test::Group>& groups) {
  const TrialOptions each{.keep = RunTally::Keep::each_request};
  return compare(test::simulated(before, groups, each), test::simulated(after, groups, each));
}

const std::vector<test::Group> kGroups{{"192.0.2.1", 10}, {"192.0.2.2", 4}, {"192.0.2.3", 1}};

TEST(Comparisons, SayWhomALimitHits) {
  const auto found = compared(limited("5/hour"), limited("2/hour"), kGroups);
  EXPECT_EQ(found.refused_before, 5U);
  EXPECT_EQ(found.refused_after, 10U);
  EXPECT_EQ(found.hit, 5U);
  EXPECT_EQ(found.freed, 0U);
  EXPECT_TRUE(found.each_known);
  ASSERT_EQ(found.limits.size(), 1U);
  const auto& limit = found.limits.front();
  EXPECT_EQ(limit.what, LimitChange::What::kept);
  EXPECT_EQ(limit.keys_hit, 2U);
  EXPECT_EQ(limit.keys_freed, 0U);
  ASSERT_EQ(limit.hit.size(), 2U);
  EXPECT_EQ(limit.hit[0].key, "192.0.2.1");
  EXPECT_EQ(limit.hit[0].requests, 10U);
  EXPECT_EQ(limit.hit[0].rejected_before, 5U);
  EXPECT_EQ(limit.hit[0].rejected_after, 8U);
  EXPECT_EQ(limit.hit[1].key, "192.0.2.2");
}

TEST(Comparisons, SayWhomItFrees) {
  const auto found = compared(limited("2/hour"), limited("5/hour"), kGroups);
  EXPECT_EQ(found.freed, 5U);
  EXPECT_EQ(found.limits[0].keys_freed, 2U);
  EXPECT_EQ(found.limits[0].freed[1].key, "192.0.2.2");
  EXPECT_EQ(found.limits[0].freed[1].rejected_after, 0U);
}

TEST(Comparisons, FindNothingBetweenEqualPolicies) {
  const auto found = compared(limited("2/hour"), limited("2/hour"), kGroups);
  EXPECT_EQ(found.hit + found.freed, 0U);
  EXPECT_TRUE(found.limits[0].hit.empty());
  EXPECT_TRUE(found.limits[0].freed.empty());
}

TEST(Comparisons, TellLimitsThatComeAndGo) {
  const auto other = test::config_of(R"("limits": {"all": {"rate": "3/hour", "per": "total"}},
                                        "routes": [{"path": "/*", "to": "app", "limits": ["all"]}])");
  const auto found = compared(limited("5/hour"), other, kGroups);
  ASSERT_EQ(found.limits.size(), 2U);
  EXPECT_EQ(found.limits[0].name, "each");
  EXPECT_EQ(found.limits[0].what, LimitChange::What::removed);
  EXPECT_EQ(found.limits[0].keys_freed, 1U);
  EXPECT_EQ(found.limits[1].name, "all");
  EXPECT_EQ(found.limits[1].what, LimitChange::What::added);
  EXPECT_EQ(found.limits[1].rejected_after, 12U);
}

TEST(Comparisons, KeepOnlyTheLargestChanges) {
  std::vector<test::Group> groups;
  for (unsigned i = 1; i <= 100; ++i) groups.push_back({"192.0.2." + std::to_string(i), 2 + i});
  const auto found = compared(limited("1000/hour"), limited("2/hour"), groups);
  const auto& limit = found.limits.front();
  EXPECT_EQ(limit.keys_hit, 100U);
  ASSERT_EQ(limit.hit.size(), LimitChange::kMaxKeys);
  EXPECT_EQ(limit.hit.front().rejected_after, 100U);
  EXPECT_EQ(limit.hit.back().rejected_after, 81U);
}

TEST(Comparisons, SayIfALimitCountsBySomethingElse) {
  const auto other = test::config_of(R"("limits": {"each": {"rate": "5/hour", "per": "total"}},
                                        "routes": [{"path": "/*", "to": "app", "limits": ["each"]}])");
  EXPECT_TRUE(compared(limited("5/hour"), other, kGroups).limits[0].other_key);
}

}  // namespace
}  // namespace headgate::simulate
