#include "headgate/limit/ban_table.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

BanPolicy policy(Duration first = 10min, Duration longest = 24h) {
  BanPolicy out;
  out.offences = headgate::test::make_rule("20/minute", 20, "abuse", "sliding_log");
  out.first = first;
  out.longest = longest;
  return out;
}

using headgate::test::kStart;

TEST(BanTable, SuspendsAKeyUntilItsTimeIsOver) {
  BanTable table;
  EXPECT_FALSE(table.find(policy().offences, "10.0.0.1", kStart));
  const auto ban = table.suspend(policy(), "10.0.0.1", BanReason::rejections, false, kStart);
  ASSERT_TRUE(ban);
  EXPECT_EQ(ban->until, kStart + 10min);
  EXPECT_EQ(table.find(policy().offences, "10.0.0.1", kStart + 10min - 1us)->until, kStart + 10min);
  EXPECT_FALSE(table.find(policy().offences, "10.0.0.1", kStart + 10min));
  EXPECT_FALSE(table.find(policy().offences, "10.0.0.2", kStart)) << "another key";
}

TEST(BanTable, SuspendsASuspendedKeyOnlyOnce) {
  BanTable table;
  ASSERT_TRUE(table.suspend(policy(), "k", BanReason::rejections, false, kStart));
  EXPECT_FALSE(table.suspend(policy(), "k", BanReason::rejections, false, kStart + 1min));
  EXPECT_EQ(table.find(policy().offences, "k", kStart + 1min)->until, kStart + 10min);
}

TEST(BanTable, DoublesTheTimeForRepeatOffendersUpToABound) {
  BanTable table;
  auto now = kStart;
  for (const auto expected : {10min, 20min, 40min, 60min, 60min}) {
    const auto ban = table.suspend(policy(10min, 60min), "k", BanReason::rejections, false, now);
    ASSERT_TRUE(ban);
    EXPECT_EQ(ban->until - ban->since, Duration(expected));
    now = ban->until + 59min;
  }
}

TEST(BanTable, BeginsWithTheFirstTimeAgainAfterALongTimeWithoutSuspension) {
  BanTable table;
  const auto first = table.suspend(policy(10min, 60min), "k", BanReason::rejections, false, kStart);
  const auto later = table.suspend(policy(10min, 60min), "k", BanReason::rejections, false, first->until + 60min);
  EXPECT_EQ(later->until - later->since, Duration(10min));
  EXPECT_EQ(later->level, 0u);
}

TEST(BanTable, ForgetsEarlierSuspensionsOfALiftedKey) {
  BanTable table;
  ASSERT_TRUE(table.suspend(policy(), "k", BanReason::rejections, false, kStart));
  const auto lifted = table.lift("abuse", "k", kStart + 1min);
  ASSERT_TRUE(lifted);
  EXPECT_TRUE(lifted->lifted);
  EXPECT_FALSE(table.find(policy().offences, "k", kStart + 1min));
  EXPECT_FALSE(table.lift("abuse", "k", kStart + 2min)) << "it is not suspended any more";
  EXPECT_EQ(table.suspend(policy(), "k", BanReason::rejections, false, kStart + 2min)->level, 0u);
}

TEST(BanTable, TellsEachChangeThatIsMadeHereAndNoneOfTheLog) {
  std::vector<Ban> told;
  BanTable table([&told](const Ban& ban) { told.push_back(ban); });
  table.suspend(policy(), "a", BanReason::statuses, false, kStart);
  table.suspend(policy(), "a", BanReason::statuses, false, kStart);
  table.add("abuse", "b", 1h, kStart);
  table.lift("abuse", "b", kStart);
  table.apply({.limit = "abuse", .key = "c", .since = kStart, .until = kStart + 1h, .version = 7}, kStart);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].key, "a");
  EXPECT_EQ(told[1].reason, BanReason::operated);
  EXPECT_TRUE(told[2].lifted);
}

TEST(BanTable, IsOperatedWhileAnOrderIsInForce) {
  BanTable table;
  table.suspend(policy(), "a", BanReason::statuses, false, kStart);
  EXPECT_FALSE(table.operated());
  table.add("abuse", "b", 1h, kStart);
  table.apply({.limit = "abuse",
               .key = "c",
               .since = kStart,
               .until = kStart + 2h,
               .reason = BanReason::operated,
               .version = 7},
              kStart);
  EXPECT_TRUE(table.operated());
  table.lift("abuse", "b", kStart);
  table.end_operated(kStart + 2h - 1s);
  EXPECT_TRUE(table.operated());
  table.end_operated(kStart + 2h);
  EXPECT_FALSE(table.operated());
  table.add("abuse", "b", 1h, kStart + 2h);
  EXPECT_TRUE(table.operated()) << "again";
  table.lift("abuse", "b", kStart + 2h);
  table.end_operated(kStart + 2h);
  EXPECT_FALSE(table.operated());
}

TEST(BanTable, FollowsTheLogInItsOrderAlsoIfAnEntryComesAgain) {
  BanTable table;
  const Ban ban{.limit = "abuse", .key = "k", .since = kStart, .until = kStart + 1h, .version = 7};
  auto lift = ban;
  lift.until = kStart + 1min;
  lift.lifted = true;
  lift.version = 8;
  table.apply(ban, kStart);
  EXPECT_TRUE(table.find(policy().offences, "k", kStart + 2min));
  table.apply(lift, kStart);
  table.apply(ban, kStart);
  EXPECT_FALSE(table.find(policy().offences, "k", kStart + 2min));
}

TEST(BanTable, ListsWhoIsSuspendedNow) {
  BanTable table;
  table.suspend(policy(10min), "later", BanReason::rejections, false, kStart);
  table.suspend(policy(5min), "sooner", BanReason::rejections, true, kStart);
  const auto all = table.list(kStart + 1min);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, "sooner");
  EXPECT_TRUE(all[0].observed);
  EXPECT_EQ(table.list(kStart + 6min).size(), 1u);
  EXPECT_EQ(table.counts(kStart + 6min).at("abuse").suspended, 1u);
  EXPECT_EQ(table.counts(kStart + 6min).at("abuse").made_here.at(BanReason::rejections), 2u);
}

TEST(BanTable, HoldsABoundedNumberOfKeysAndDropsThoseThatEndFirst) {
  BanTable table(nullptr, 2'560);
  for (int i = 0; i < 20'000; ++i)
    table.suspend(policy(Duration(1h) + Duration(i)), "k" + std::to_string(i), BanReason::rejections, false, kStart);
  const auto left = table.list(kStart);
  EXPECT_LE(left.size(), 2'560u);
  EXPECT_TRUE(table.find(policy().offences, "k19999", kStart)) << "the one that ends last";
  EXPECT_FALSE(table.find(policy().offences, "k0", kStart));
}

TEST(BanTable, LetsNoLimitFlushTheSuspensionsOfAnother) {
  BanTable table(nullptr, 2'560);
  auto other = policy(24h);
  other.offences.limit = "other";
  for (int i = 0; i < 100; ++i)
    table.suspend(policy(1min), "mine" + std::to_string(i), BanReason::rejections, false, kStart);
  for (int i = 0; i < 20'000; ++i) table.suspend(other, "k" + std::to_string(i), BanReason::rejections, false, kStart);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(table.find(policy().offences, "mine" + std::to_string(i), kStart)) << i;
  EXPECT_LE(table.list(kStart).size(), 2'560u);
  const auto counts = table.counts(kStart);
  EXPECT_EQ(counts.at("abuse").dropped, 0u);
  EXPECT_GE(counts.at("other").dropped, 17'000u) << "who fills the table is named";
  EXPECT_EQ(table.dropped().size(), 1u);
}

TEST(BanTable, CountsWhatItDropsOnceHoweverOftenTheLogIsRead) {
  BanTable table(nullptr, 2'560);
  std::vector<Ban> log;
  for (int i = 0; i < 5'000; ++i) {
    auto made = table.suspend(policy(1h), "k" + std::to_string(i), BanReason::rejections, false, kStart);
    ASSERT_TRUE(made);
    made->version = static_cast<std::uint64_t>(i) + 1;
    log.push_back(std::move(*made));
  }
  const auto dropped = table.dropped().at("abuse");
  EXPECT_GE(dropped, 2'000u);
  for (int round = 0; round < 3; ++round)
    for (const auto& each : log) table.apply(each, kStart);
  EXPECT_EQ(table.dropped().at("abuse"), dropped);
}

TEST(BanTable, LetsNoEntryOfTheLogFlushTheSuspensionsOfAnotherLimit) {
  BanTable table(nullptr, 2'560);
  table.apply({.limit = "abuse", .key = "k", .since = kStart, .until = kStart + 1min, .version = 1}, kStart);
  for (int i = 0; i < 20'000; ++i)
    table.apply({.limit = "other",
                 .key = std::to_string(i),
                 .since = kStart,
                 .until = kStart + 24h,
                 .version = 2u + static_cast<unsigned>(i)},
                kStart);
  EXPECT_TRUE(table.find(policy().offences, "k", kStart));
  EXPECT_LE(table.list(kStart).size(), 2'560u);
}

TEST(BanTable, NeverDropsWhatAnOperatorOrdered) {
  BanTable table(nullptr, 256);  // one of each stripe
  for (int i = 0; i < 50; ++i) table.add("abuse", "ordered" + std::to_string(i), 1min, kStart);
  for (int i = 0; i < 5'000; ++i)
    table.suspend(policy(24h), "k" + std::to_string(i), BanReason::rejections, false, kStart);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(table.find(policy().offences, "ordered" + std::to_string(i), kStart)) << i;
  EXPECT_LE(table.list(kStart).size(), 256u + 50u);
  table.suspend(policy(), "late", BanReason::rejections, false, kStart + BanTable::kRemembered + 1h);
  EXPECT_EQ(table.list(kStart + BanTable::kRemembered + 1h).size(), 1u) << "what has ended is forgotten all the same";
}

TEST(BanTable, TellsHowMuchOfItIsUsedAndByWhichLimit) {
  BanTable table;
  EXPECT_EQ(table.held(kStart).keys, 0U);
  EXPECT_EQ(table.held(kStart).most, "");
  table.suspend(policy(), "a", BanReason::rejections, false, kStart);
  table.suspend(policy(), "b", BanReason::rejections, false, kStart);
  table.add("other", "c", 1h, kStart);
  EXPECT_EQ(table.held(kStart).keys, 2U) << "an operator's does not count";
  EXPECT_EQ(table.held(kStart).keys + table.held(kStart).operated, table.list(kStart).size());
  EXPECT_EQ(table.held(kStart).most, "abuse");
  EXPECT_EQ(table.held(kStart).keys_of_most, 2U);
  EXPECT_EQ(table.held(kStart + 10min).keys, 0U) << "those that are only remembered make room";
}

TEST(BanTable, IsUsedByManyThreadsAtOnce) {
  BanTable table;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&table, t] {
      for (int i = 0; i < 500; ++i) {
        const auto key = "k" + std::to_string(i % 50);
        if (t % 2 == 0) {
          table.suspend(policy(), key, BanReason::rejections, false, kStart + Duration(i));
          table.lift("abuse", key, kStart + Duration(i));
        } else {
          table.find(policy().offences, key, kStart);
          table.list(kStart);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(table.list(kStart).size(), 50u);
}

}  // namespace
}  // namespace headgate::limit
