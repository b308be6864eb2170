// What one key has used: days that are read one after the other, and their months.

#include "headgate/services/usage_history.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace headgate::services {
namespace {

using HistoryReply = nlohmann::json;
using std::chrono::days;

constexpr limit::Day kFirst = std::chrono::year(2026) / 9 / 29;
constexpr limit::Day kLast = std::chrono::year(2026) / 11 / 3;

/// Gives the history what a ledger has: also other keys of the bucket, and buckets behind it.
HistoryReply read(UsageHistory history, const std::map<std::pair<limit::Day, std::string>, limit::Use>& ledger,
                  limit::Day kept_from = kFirst, limit::Day added_to = {}) {
  std::size_t reads = 0;
  while (const auto wanted = history.next()) {
    if (++reads > 1000) return {};
    limit::LedgerBucket bucket{.number = wanted->bucket, .uses = {{"plan somebody else", {7, 7}}}};
    for (const auto& [at, use] : ledger)
      if (at.first == wanted->day && limit::bucket_of(at.second) == wanted->bucket)
        bucket.uses.emplace_back(at.second, use);
    history.take({bucket, {.number = wanted->bucket + 1, .uses = {{"plan acme", {9, 9}}}}});
  }
  const auto is_complete = [&](limit::Day day) { return day < kLast && day != added_to; };
  return HistoryReply::parse(history.text({.zone = "UTC", .kept_from = kept_from, .is_complete = is_complete}));
}

HistoryQuestion asked(limit::Day from, limit::Day to) {
  return {.counters = {{"plan", "acme", "acme"}, {"tokens", "acme", "acme"}}, .from = from, .to = to};
}

TEST(UsageHistory, SumsMonthsAndLeavesOutDaysWithoutUse) {
  const auto told = read(UsageHistory(asked(kFirst, kLast)), {{{kFirst, "plan acme"}, {3, 2}},
                                                              {{kFirst + days(2), "plan acme"}, {10, 10}},
                                                              {{kFirst + days(9), "plan acme"}, {5, 1}},
                                                              {{kLast, "plan acme"}, {1, 1}},
                                                              {{kLast, "tokens acme"}, {400, 2}}});
  EXPECT_EQ(told.at("from"), "2026-09-29");
  EXPECT_EQ(told.at("to"), "2026-11-03");
  ASSERT_EQ(told.at("limits").size(), 2U) << told;
  const auto& plan = told.at("limits")[0];
  EXPECT_EQ(plan.at("used"), 19);
  EXPECT_EQ(plan.at("requests"), 14);
  EXPECT_EQ(plan.at("days").size(), 4U);
  EXPECT_EQ(plan.at("days")[0],
            (HistoryReply{{"day", "2026-09-29"}, {"used", 3}, {"requests", 2}, {"complete", true}}));
  EXPECT_FALSE(plan.at("days")[3].at("complete"));
  ASSERT_EQ(plan.at("months").size(), 3U);
  EXPECT_EQ(plan.at("months")[0],
            (HistoryReply{{"month", "2026-09"}, {"used", 3}, {"requests", 2}, {"complete", false}}))
      << "it begins before the first day that was asked for";
  EXPECT_EQ(plan.at("months")[1],
            (HistoryReply{{"month", "2026-10"}, {"used", 15}, {"requests", 11}, {"complete", true}}));
  EXPECT_EQ(plan.at("months")[2],
            (HistoryReply{{"month", "2026-11"}, {"used", 1}, {"requests", 1}, {"complete", false}}));
  EXPECT_EQ(told.at("limits")[1].at("months")[1].at("used"), 0);
  EXPECT_EQ(told.at("limits")[1].at("used"), 400);
}

TEST(UsageHistory, HasNoWholeMonthOfWhichDaysAreKeptNoMore) {
  const limit::Day october = std::chrono::year(2026) / 10 / 1;
  const auto told = read(UsageHistory(asked(october, kLast)), {}, october + days(1));
  EXPECT_FALSE(told.at("limits")[0].at("months")[0].at("complete")) << told;
  EXPECT_TRUE(read(UsageHistory(asked(october, kLast)), {}, october).at("limits")[0].at("months")[0].at("complete"));
}

TEST(UsageHistory, HasNoWholeMonthOfWhichADayIsStillAddedTo) {
  const limit::Day october = std::chrono::year(2026) / 10 / 1;
  const auto complete = [&](limit::Day added_to) {
    const auto told = read(UsageHistory(asked(october, kLast)), {}, october, added_to);
    return told.at("limits")[0].at("months")[0].at("complete").get<bool>();
  };
  EXPECT_TRUE(complete(kLast));
  for (const int day : {0, 17, 30}) EXPECT_FALSE(complete(october + days(day))) << day;
}

TEST(UsageHistory, MayBeOfOneDay) {
  const auto told = read(UsageHistory(asked(kLast, kLast)), {{{kLast, "plan acme"}, {1, 1}}});
  EXPECT_EQ(told.at("limits")[0].at("days").size(), 1U);
  EXPECT_EQ(told.at("limits")[0].at("months").size(), 1U);
}

}  // namespace
}  // namespace headgate::services
