// What the memory store keeps and evicts at its bound, and how it counts that.
#include "support/rules.hpp"

#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::limit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kStart;
using test::make_check;
using test::make_rule;

Decision take_one(MemoryStore& store, const Rule& rule, std::string_view key, Instant now, std::int64_t cost = 1) {
  const Check check = make_check(rule, key, cost);
  Decision decision;
  EXPECT_EQ(store.decide({&check, 1}, now, {&decision, 1}), decision.allowed);
  return decision;
}

TEST(MemoryBound, StaysWithinItsBound) {
  for (const std::size_t bound : {0, 1, 10, 1000, 20'000}) {
    MemoryStore store({.max_keys = bound});
    const Rule rule = make_rule("5/hour");
    for (int i = 0; i < 30'000; ++i) take_one(store, rule, std::to_string(i), kStart);
    EXPECT_LE(store.keys(), std::max<std::size_t>(bound, 1));
    EXPECT_GE(store.keys(), bound * 98 / 100);
    EXPECT_EQ(store.keys() + store.evicted_keys(), 30'000U);
  }
}

TEST(MemoryBound, EvictsNothingBelowItsBound) {
  MemoryStore store({.max_keys = 1000});
  const Rule rule = make_rule("5/hour");
  for (int i = 0; i < 1000; ++i) take_one(store, rule, std::to_string(i), kStart, 2);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(take_one(store, rule, std::to_string(i), kStart, 0).remaining, 3U);
  EXPECT_EQ(store.evicted_keys(), 0U);
}

TEST(MemoryBound, EvictsFullCountersWithoutLoss) {
  MemoryStore store({.max_keys = 1000});
  const Rule rule = make_rule("5/second");
  for (int i = 0; i < 1000; ++i) take_one(store, rule, "old" + std::to_string(i), kStart);
  for (int i = 0; i < 1000; ++i) take_one(store, rule, "new" + std::to_string(i), kStart + seconds(2));
  EXPECT_EQ(store.keys(), 1000U);
  EXPECT_EQ(store.evicted_keys(), 0U);
}

TEST(MemoryBound, KeepsASpentKeyThroughAFloodOfOthers) {
  MemoryStore store({.max_keys = 10'000});
  const Rule rule = make_rule("5/hour");
  for (int i = 0; i < 50; ++i) take_one(store, rule, "greedy" + std::to_string(i), kStart, 5);
  for (int i = 0; i < 200'000; ++i) take_one(store, rule, "flood" + std::to_string(i), kStart + milliseconds(i));
  for (int i = 0; i < 50; ++i)
    EXPECT_FALSE(take_one(store, rule, "greedy" + std::to_string(i), kStart + seconds(200)).allowed);
  EXPECT_GT(store.evicted_keys(), 100'000U);
}

/// Spent keys of a limit that refills soon, then a flood of spent keys of one that refills late.
void rejects_through_a_flood(const std::vector<Rule>& before, const Rule& flood) {
  MemoryStore store({.max_keys = 10'000});
  for (const Rule& rule : before)
    for (int i = 0; i < 500; ++i) take_one(store, rule, "spent" + std::to_string(i), kStart, 5);
  for (int i = 0; i < 100'000; ++i) take_one(store, flood, "flood" + std::to_string(i), kStart, 5);
  for (const Rule& rule : before)
    for (int i = 0; i < 500; ++i)
      ASSERT_FALSE(take_one(store, rule, "spent" + std::to_string(i), kStart).allowed) << rule.limit << ' ' << i;
  EXPECT_GT(store.evicted_keys(), 80'000U);
}

TEST(MemoryBound, KeepsTheSpentKeysOfALimitThroughAFloodOfAnothersSpentKeys) {
  rejects_through_a_flood({make_rule("5/minute", 0, "login")}, make_rule("5/hour", 0, "hourly"));
}

TEST(MemoryBound, GivesEachOfManyLimitsItsShare) {
  rejects_through_a_flood({make_rule("5/second", 0, "a"), make_rule("5/minute", 0, "b"), make_rule("5/hour", 0, "c"),
                           make_rule("5/day", 0, "d")},
                          make_rule("5/30d", 0, "monthly"));
}

TEST(MemoryBound, GivesALimitThatComesLateItsShareOfAFullTable) {
  MemoryStore store({.max_keys = 10'000});
  const Rule hourly = make_rule("5/hour", 0, "hourly");
  const Rule login = make_rule("5/minute", 0, "login");
  for (int i = 0; i < 20'000; ++i) take_one(store, hourly, "early" + std::to_string(i), kStart, 5);
  for (int i = 0; i < 2000; ++i) {
    take_one(store, login, "spent" + std::to_string(i), kStart, 5);
    for (int j = 0; j < 5; ++j) take_one(store, hourly, "late" + std::to_string(5 * i + j), kStart, 5);
  }
  for (int i = 0; i < 2000; ++i) ASSERT_FALSE(take_one(store, login, "spent" + std::to_string(i), kStart).allowed) << i;
}

TEST(MemoryBound, SurvivesAFloodOfTenMillionKeys) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kFlood = 300'000;  // a shorter flood; ./dev test release runs the full one
#else
  constexpr int kFlood = 10'000'000;
#endif
  constexpr std::size_t kBound = 50'000;
  constexpr int kGreedy = 1000;
  constexpr int kIdle = 20'000;
  MemoryStore store({.max_keys = kBound});
  const Rule rule = make_rule("5/hour");
  const Rule brief = make_rule("5/second", 0, "brief");
  for (int i = 0; i < kIdle; ++i) take_one(store, brief, "idle" + std::to_string(i), kStart);
  const Instant begin = kStart + seconds(2);
  for (int i = 0; i < kGreedy; ++i) take_one(store, rule, "greedy" + std::to_string(i), begin, 5);
  std::string key = "flood";
  Decision decision;
  for (int i = 0; i < kFlood; ++i) {
    key.replace(5, std::string::npos, std::to_string(i));
    const Check check = make_check(rule, key);
    store.decide({&check, 1}, begin + Duration(i), {&decision, 1});
    if (i % 10'000 == 0) {
      ASSERT_LE(store.keys(), kBound);
    }
    if (i == 20'000) {
      EXPECT_EQ(store.evicted_keys(), 0U) << "what was full went first";
    }
  }
  const Instant end = begin + Duration(kFlood);
  for (int i = 0; i < kGreedy; ++i)
    ASSERT_FALSE(take_one(store, rule, "greedy" + std::to_string(i), end).allowed) << "and no used-up key went at all";
  const auto by_limit = store.keys_by_limit();
  ASSERT_EQ(by_limit.size(), 2U);
  EXPECT_EQ(by_limit[0].limit, "brief");
  EXPECT_EQ(by_limit[0].tracked + by_limit[1].tracked, store.keys());
  EXPECT_EQ(by_limit[0].tracked, 0U);
  EXPECT_EQ(by_limit[0].evicted, 0U);
  EXPECT_EQ(by_limit[1].evicted, store.evicted_keys());
  EXPECT_EQ(by_limit[1].tracked + by_limit[1].evicted, static_cast<std::size_t>(kFlood + kGreedy));
}

TEST(MemoryBound, CountsKeysByLimitThroughReloads) {
  MemoryStore store({});
  {
    const Rule minute = make_rule("5/minute", 0, "per-ip");
    Rule hour = make_rule("50/hour", 0, "per-ip");  // another rule of the same limit
    hour.suffix += "1h";
    hour.seed = stable_hash(hour.suffix);
    const Rule gone = make_rule("5/minute", 0, "gone");
    for (int i = 0; i < 10; ++i) take_one(store, minute, std::to_string(i), kStart);
    for (int i = 0; i < 5; ++i) take_one(store, hour, std::to_string(i), kStart);
    take_one(store, gone, "a", kStart);
  }
  const Rule again = make_rule("7/minute", 0, "per-ip");
  const Rule late = make_rule("7/minute", 0, "late");
  for (int i = 0; i < 12; ++i) take_one(store, again, std::to_string(i), kStart);
  take_one(store, late, "a", kStart);
  const auto keys = store.keys_by_limit();
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[0].limit, "gone");
  EXPECT_EQ(keys[0].tracked, 1U);
  EXPECT_EQ(keys[1].limit, "late");
  EXPECT_EQ(keys[1].tracked, 1U);
  EXPECT_EQ(keys[2].limit, "per-ip");
  EXPECT_EQ(keys[2].tracked, 17U);
}

}  // namespace
}  // namespace headgate::limit
