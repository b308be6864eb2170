#include "headgate/limit/memory_store.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <string>
#include <thread>

namespace headgate::limit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kStart;
using test::make_check;
using test::make_rule;

Decision decide_one(MemoryStore& store, const Rule& rule, std::string_view key, Instant now, std::int64_t cost = 1) {
  const Check check = make_check(rule, key, cost);
  Decision decision;
  EXPECT_EQ(store.decide({&check, 1}, now, {&decision, 1}), decision.allowed);
  return decision;
}

TEST(MemoryStore, CountsEachKeyOfEachLimitSeparately) {
  MemoryStore store({});
  const Rule one = make_rule("2/hour", 0, "one");
  const Rule two = make_rule("2/hour", 0, "two");
  EXPECT_EQ(decide_one(store, one, "alice", kStart).remaining, 1U);
  EXPECT_EQ(decide_one(store, one, "bob", kStart).remaining, 1U);
  EXPECT_EQ(decide_one(store, two, "alice", kStart).remaining, 1U);
  EXPECT_EQ(decide_one(store, one, "alice", kStart).remaining, 0U);
  EXPECT_FALSE(decide_one(store, one, "alice", kStart).allowed);
  EXPECT_EQ(store.keys(), 3U);
}

TEST(MemoryStore, ChangesNothingForACounterThatIsOnlyExpected) {
  MemoryStore store({.max_keys = 10}, Threads::one);
  const Rule rule = make_rule("2/hour", 0, "one");
  EXPECT_EQ(decide_one(store, rule, "alice", kStart).remaining, 1U);
  for (const std::string_view key : {"alice", "bob"}) store.expect(make_check(rule, key, 1).hash);
  EXPECT_EQ(store.keys(), 1U);
  EXPECT_EQ(decide_one(store, rule, "alice", kStart).remaining, 0U);
}

TEST(MemoryStore, AllowsWithoutChecks) {
  MemoryStore store({});
  EXPECT_TRUE(store.decide({}, kStart, {}));
}

TEST(MemoryStore, TakesFromAllRulesOrFromNone) {
  MemoryStore store({});
  const Rule wide = make_rule("100/hour", 0, "wide");
  const Rule narrow = make_rule("2/hour", 0, "narrow");
  const std::array checks = {make_check(wide, "org_42"), make_check(narrow, "org_42"), make_check(wide, "total")};
  std::array<Decision, 3> decisions;
  EXPECT_TRUE(store.decide(checks, kStart, decisions));
  EXPECT_TRUE(store.decide(checks, kStart, decisions));
  EXPECT_EQ(decisions[0].remaining, 98U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(store.decide(checks, kStart, decisions));
    EXPECT_TRUE(decisions[0].allowed);
    EXPECT_FALSE(decisions[1].allowed);
    EXPECT_TRUE(decisions[2].allowed);
    EXPECT_EQ(decisions[0].remaining, 98U);
    EXPECT_EQ(decisions[2].remaining, 98U);
  }
}

TEST(MemoryStore, AddsUpTwoChecksOfOneCounter) {
  MemoryStore store({});
  const Rule rule = make_rule("3/hour");
  const std::array checks = {make_check(rule, "org_42", 2), make_check(rule, "org_42", 2)};
  std::array<Decision, 2> decisions;
  EXPECT_FALSE(store.decide(checks, kStart, decisions)) << "each fits, both do not";
  EXPECT_EQ(store.keys(), 0U);
  const std::array fitting = {make_check(rule, "org_42", 2), make_check(rule, "org_42", 1)};
  EXPECT_TRUE(store.decide(fitting, kStart, decisions));
  EXPECT_EQ(decisions[0].remaining, 0U);
  EXPECT_EQ(decisions[1].remaining, 0U);
  EXPECT_FALSE(decide_one(store, rule, "org_42", kStart).allowed);
}

TEST(MemoryStore, FollowsTheSmallerOfTwoRulesForOneCounter) {
  const Rule small = make_rule("2/hour");
  const Rule large = make_rule("50/hour");
  for (const auto& rules : {std::pair{&small, &large}, std::pair{&large, &small}}) {
    MemoryStore store({});
    const std::array checks = {make_check(*rules.first, "org_42", 1), make_check(*rules.second, "org_42", 1)};
    std::array<Decision, 2> decisions;
    EXPECT_TRUE(store.decide(checks, kStart, decisions));
    EXPECT_EQ(decisions[0].remaining, 0U);
    EXPECT_EQ(decisions[1].remaining, 0U);
    EXPECT_FALSE(store.decide(checks, kStart, decisions));
  }
}

TEST(MemoryStore, TakesFromAnObservedRuleAndRejectsNobodyForIt) {
  MemoryStore store({});
  const Rule wide = make_rule("100/hour", 0, "wide");
  const Rule narrow = make_rule("2/hour", 0, "narrow");
  const std::array checks = {make_check(wide, "a"), make_check(narrow, "a", 1, How::observe)};
  std::array<Decision, 2> decisions;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(store.decide(checks, kStart, decisions));
    EXPECT_EQ(decisions[0].remaining, static_cast<std::uint64_t>(99 - i));
    EXPECT_EQ(decisions[1].allowed, i < 2) << "it still says what it would have done";
    EXPECT_EQ(decisions[1].retry_after > Duration(0), i >= 2);
  }
  const Check alone = checks[1];
  EXPECT_TRUE(store.decide({&alone, 1}, kStart, {decisions.data(), 1}));
  EXPECT_FALSE(decisions[0].allowed);
  EXPECT_FALSE(decide_one(store, narrow, "a", kStart).allowed);
}

TEST(MemoryStore, TakesNothingObservedOrChargedIfAnotherRuleRejects) {
  MemoryStore store({});
  const Rule tried = make_rule("5/hour", 0, "tried");
  const Rule charged = make_rule("5/hour", 0, "charged");
  const Rule strict = make_rule("1/hour", 0, "strict");
  const std::array checks = {make_check(tried, "a", 1, How::observe), make_check(charged, "a", 1, How::charge),
                             make_check(strict, "a")};
  std::array<Decision, 3> decisions;
  EXPECT_TRUE(store.decide(checks, kStart, decisions));
  EXPECT_FALSE(store.decide(checks, kStart, decisions));
  EXPECT_EQ(decisions[0].remaining, 4U);
  EXPECT_EQ(decisions[1].remaining, 4U);
  EXPECT_EQ(decide_one(store, tried, "a", kStart, 0).remaining, 4U);
  EXPECT_EQ(decide_one(store, charged, "a", kStart, 0).remaining, 4U);
}

TEST(MemoryStore, ChargesUpToWhatIsLeftAndRejectsNobodyForIt) {
  MemoryStore store({});
  const Rule rule = make_rule("5/hour");
  const Check charge = make_check(rule, "a", 3, How::charge);
  Decision decision;
  for (const std::uint64_t left : {2U, 0U, 0U}) {
    EXPECT_TRUE(store.decide({&charge, 1}, kStart, {&decision, 1}));
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.remaining, left);
    EXPECT_EQ(decision.retry_after, Duration(0));
  }
  EXPECT_LE(decision.reset_after, std::chrono::hours(1)) << "no debt beyond what there was";
  const Decision rejected = decide_one(store, rule, "a", kStart);
  EXPECT_FALSE(rejected.allowed);
  EXPECT_EQ(rejected.retry_after, seconds(720));
}

TEST(MemoryStore, UsesTheStrictestModeOfSeveralForOneCounter) {
  MemoryStore store({});
  const Rule rule = make_rule("3/hour");
  const std::array strict = {make_check(rule, "a", 2, How::charge), make_check(rule, "a", 2), make_check(rule, "a", 0)};
  std::array<Decision, 3> decisions;
  EXPECT_FALSE(store.decide(strict, kStart, decisions)) << "as a take of 4";
  EXPECT_FALSE(decisions[0].allowed);
  const std::array tried = {make_check(rule, "a", 2, How::charge), make_check(rule, "a", 2, How::observe)};
  EXPECT_TRUE(store.decide(tried, kStart, {decisions.data(), 2}));
  EXPECT_FALSE(decisions[0].allowed) << "as a trial of 4";
  EXPECT_EQ(decide_one(store, rule, "a", kStart, 0).remaining, 3U);
}

TEST(MemoryStore, RefusesMoreChecksThanARequestMayHave) {
  MemoryStore store({});
  const Rule rule = make_rule("300/hour");
  const std::vector<Check> checks(kMaxRulesPerRequest + 1, make_check(rule, "a"));
  std::vector<Decision> decisions(checks.size());
  EXPECT_FALSE(store.decide(checks, kStart, decisions));
  EXPECT_EQ(store.keys(), 0U);
}

TEST(MemoryStore, GivesBackWhatWasTaken) {
  MemoryStore store({});
  const Rule wide = make_rule("5/hour", 0, "wide");
  const Rule narrow = make_rule("2/hour", 0, "narrow");
  const std::array checks = {make_check(wide, "a", 3), make_check(narrow, "a", 2), make_check(wide, "b", 0)};
  std::array<Decision, 3> decisions;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store.decide(checks, kStart, decisions));
    EXPECT_EQ(decisions[0].remaining, 2U);
    store.give_back(checks, kStart);
  }
  EXPECT_EQ(decide_one(store, wide, "a", kStart, 0).remaining, 5U);
}

TEST(MemoryStore, GivesBackNothingToACounterItDoesNotKeep) {
  MemoryStore store({});
  const Rule rule = make_rule("5/hour");
  const Check check = make_check(rule, "a", 3);
  store.give_back({&check, 1}, kStart);
  EXPECT_EQ(store.keys(), 0U);
  EXPECT_EQ(decide_one(store, rule, "a", kStart, 0).remaining, 5U);
}

TEST(MemoryStore, KeepsNoCounterForALookOrARejection) {
  MemoryStore store({});
  const Rule rule = make_rule("5/hour");
  decide_one(store, rule, "a", kStart, 0);
  decide_one(store, rule, "a", kStart, 6);
  EXPECT_EQ(store.keys(), 0U);
}

TEST(MemoryStore, GrantsNoMoreToACallerWhoseClockIsBehind) {
  // Two callers take turns, and the clock of one is 300 ms behind. Each time, reducing the stored moment could undo
  // what the other took.
  MemoryStore store({});
  const Rule rule = make_rule("10/second", 5);
  int admitted = 0;
  for (int i = 0; i < 1000; ++i) {
    admitted += decide_one(store, rule, "a", kStart).allowed ? 1 : 0;
    admitted += decide_one(store, rule, "a", kStart - milliseconds(300)).allowed ? 1 : 0;
  }
  EXPECT_EQ(admitted, 5);
}

TEST(MemoryStore, ReportsAWaitThatIsTrueOnTheCallersClock) {
  MemoryStore store({});
  const Rule rule = make_rule("10/second", 1);
  ASSERT_TRUE(decide_one(store, rule, "a", kStart).allowed);
  const Instant behind = kStart - milliseconds(300);
  const Decision rejected = decide_one(store, rule, "a", behind);
  EXPECT_EQ(rejected.retry_after, milliseconds(400));
  EXPECT_FALSE(decide_one(store, rule, "a", behind + rejected.retry_after - Duration(1)).allowed);
  EXPECT_TRUE(decide_one(store, rule, "a", behind + rejected.retry_after).allowed);
}

TEST(MemoryStore, GoesOnAfterTheClockWasSetBackAnHour) {
  MemoryStore store({});
  const Rule rule = make_rule("10/second", 5);
  for (int i = 0; i < 5; ++i) decide_one(store, rule, "a", kStart);
  const Instant back = kStart - std::chrono::hours(1);
  EXPECT_EQ(decide_one(store, rule, "a", back).retry_after, milliseconds(100));
  EXPECT_TRUE(decide_one(store, rule, "a", back + milliseconds(100)).allowed);
  EXPECT_EQ(decide_one(store, rule, "a", back + seconds(1), 0).remaining, 5U);
}

TEST(MemoryStore, StartsAnewAfterAChangeOfTheAlgorithm) {
  const Rule before = make_rule("5/hour");
  Algorithm other = *before.algorithm;
  other.name = "other";
  Rule after = before;
  after.algorithm = &other;
  MemoryStore store({});
  decide_one(store, before, "a", kStart, 5);
  EXPECT_EQ(decide_one(store, after, "a", kStart, 1).remaining, 4U);
}

TEST(MemoryStore, NeverAdmitsOneTooManyToThreadsOnOneKey) {
  MemoryStore store({});
  const Rule rule = make_rule("1000/second", 100);
  constexpr int kThreads = 4;
  constexpr int kChecks = 20'000;
  std::atomic<std::int64_t> clock = 0;  // in microseconds; each check advances it
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kChecks; ++i) {
        const Check check = make_check(rule, "org_42");
        Decision decision;
        if (store.decide({&check, 1}, kStart + Duration(clock.fetch_add(50)), {&decision, 1})) ++admitted;
      }
    });
  for (auto& thread : threads) thread.join();
  const int most = 100 + kThreads * kChecks * 50 / 1000;
  EXPECT_LE(admitted, most);
  EXPECT_GE(admitted, most - 1) << "and they never admit too few";
}

TEST(MemoryStore, TakesAllOrNothingWithSeveralThreadsAndRules) {
  // Each thread takes from two counters at once. In any order the sums must match, and no thread may wait for ever.
  MemoryStore store({.max_keys = 1'000'000});
  const Rule rule = make_rule("1/day", 3000);
  constexpr int kKeys = 8;
  std::array<std::atomic<int>, kKeys> taken{};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 10'000; ++i) {
        const unsigned first = random() % kKeys;
        const unsigned second = (first + 1 + random() % (kKeys - 1)) % kKeys;
        const std::string names[] = {std::to_string(first), std::to_string(second)};
        const std::array checks = {make_check(rule, names[0]), make_check(rule, names[1])};
        std::array<Decision, 2> decisions;
        if (!store.decide(checks, kStart, decisions)) continue;
        ++taken[first];
        ++taken[second];
        if (i % 10 == 0) {
          store.give_back(checks, kStart);
          --taken[first];
          --taken[second];
        }
      }
    });
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < kKeys; ++i)
    EXPECT_EQ(decide_one(store, rule, std::to_string(i), kStart, 0).remaining,
              3000U - taken[static_cast<std::size_t>(i)]);
}

TEST(MemoryStore, SurvivesThreadsThatInsertEvictAndCountAtOnce) {
  MemoryStore store({.max_keys = 10'000});
  const Rule rule = make_rule("5/hour");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10'000; ++i) {
        decide_one(store, rule, std::to_string(t) + ':' + std::to_string(i), kStart + Duration(i));
        if (i % 1000 != 0) continue;
        EXPECT_LE(store.keys(), 10'000U);
        EXPECT_EQ(store.keys_by_limit().size(), 1U);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store.keys() + store.evicted_keys(), 40'000U);
}

}  // namespace
}  // namespace headgate::limit
