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
using test::make_ask;
using test::make_rule;

Verdict ask_one(MemoryStore& store, const Rule& rule, std::string_view subject, Instant now, std::int64_t cost = 1) {
  const Ask ask = make_ask(rule, subject, cost);
  Verdict verdict;
  EXPECT_EQ(store.decide({&ask, 1}, now, {&verdict, 1}), verdict.allowed);
  return verdict;
}

TEST(MemoryStore, CountsEachSubjectOfEachLimitApart) {
  MemoryStore store({});
  const Rule one = make_rule("2/hour", 0, "one");
  const Rule two = make_rule("2/hour", 0, "two");
  EXPECT_EQ(ask_one(store, one, "alice", kStart).remaining, 1U);
  EXPECT_EQ(ask_one(store, one, "bob", kStart).remaining, 1U);
  EXPECT_EQ(ask_one(store, two, "alice", kStart).remaining, 1U);
  EXPECT_EQ(ask_one(store, one, "alice", kStart).remaining, 0U);
  EXPECT_FALSE(ask_one(store, one, "alice", kStart).allowed);
  EXPECT_EQ(store.keys(), 3U);
}

TEST(MemoryStore, AgreesWhereNothingIsAsked) {
  MemoryStore store({});
  EXPECT_TRUE(store.decide({}, kStart, {}));
}

TEST(MemoryStore, TakesFromAllRulesOrFromNone) {
  MemoryStore store({});
  const Rule wide = make_rule("100/hour", 0, "wide");
  const Rule narrow = make_rule("2/hour", 0, "narrow");
  const std::array asks = {make_ask(wide, "org_42"), make_ask(narrow, "org_42"), make_ask(wide, "total")};
  std::array<Verdict, 3> verdicts;
  EXPECT_TRUE(store.decide(asks, kStart, verdicts));
  EXPECT_TRUE(store.decide(asks, kStart, verdicts));
  EXPECT_EQ(verdicts[0].remaining, 98U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(store.decide(asks, kStart, verdicts));
    EXPECT_TRUE(verdicts[0].allowed);
    EXPECT_FALSE(verdicts[1].allowed);
    EXPECT_TRUE(verdicts[2].allowed);
    EXPECT_EQ(verdicts[0].remaining, 98U);
    EXPECT_EQ(verdicts[2].remaining, 98U);
  }
}

TEST(MemoryStore, SeesTwoAsksOfOneCounterTogether) {
  MemoryStore store({});
  const Rule rule = make_rule("3/hour");
  const std::array asks = {make_ask(rule, "org_42", 2), make_ask(rule, "org_42", 2)};
  std::array<Verdict, 2> verdicts;
  EXPECT_FALSE(store.decide(asks, kStart, verdicts)) << "each fits, both do not";
  EXPECT_EQ(store.keys(), 0U);
  const std::array fitting = {make_ask(rule, "org_42", 2), make_ask(rule, "org_42", 1)};
  EXPECT_TRUE(store.decide(fitting, kStart, verdicts));
  EXPECT_EQ(verdicts[0].remaining, 0U);
  EXPECT_EQ(verdicts[1].remaining, 0U);
  EXPECT_FALSE(ask_one(store, rule, "org_42", kStart).allowed);
}

TEST(MemoryStore, TakesOfARuleOnTrialWhatItAllowsAndRefusesNobodyForIt) {
  MemoryStore store({});
  const Rule wide = make_rule("100/hour", 0, "wide");
  const Rule narrow = make_rule("2/hour", 0, "narrow");
  const std::array asks = {make_ask(wide, "a"), make_ask(narrow, "a", 1, How::trial)};
  std::array<Verdict, 2> verdicts;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(store.decide(asks, kStart, verdicts));
    EXPECT_EQ(verdicts[0].remaining, static_cast<std::uint64_t>(99 - i));
    EXPECT_EQ(verdicts[1].allowed, i < 2) << "it still says what it would have done";
    EXPECT_EQ(verdicts[1].retry_after > Duration(0), i >= 2);
  }
  const Ask alone = asks[1];
  EXPECT_TRUE(store.decide({&alone, 1}, kStart, {verdicts.data(), 1}));
  EXPECT_FALSE(verdicts[0].allowed);
  EXPECT_FALSE(ask_one(store, narrow, "a", kStart).allowed);
}

TEST(MemoryStore, TakesNothingOnTrialOrAsAChargeWhereAnotherRuleRefusesTheCall) {
  MemoryStore store({});
  const Rule tried = make_rule("5/hour", 0, "tried");
  const Rule charged = make_rule("5/hour", 0, "charged");
  const Rule strict = make_rule("1/hour", 0, "strict");
  const std::array asks = {make_ask(tried, "a", 1, How::trial), make_ask(charged, "a", 1, How::charge),
                           make_ask(strict, "a")};
  std::array<Verdict, 3> verdicts;
  EXPECT_TRUE(store.decide(asks, kStart, verdicts));
  EXPECT_FALSE(store.decide(asks, kStart, verdicts));
  EXPECT_EQ(verdicts[0].remaining, 4U);
  EXPECT_EQ(verdicts[1].remaining, 4U);
  EXPECT_EQ(ask_one(store, tried, "a", kStart, 0).remaining, 4U);
  EXPECT_EQ(ask_one(store, charged, "a", kStart, 0).remaining, 4U);
}

TEST(MemoryStore, ChargesUpToWhatThereIsAndRefusesNobodyForIt) {
  MemoryStore store({});
  const Rule rule = make_rule("5/hour");
  const Ask charge = make_ask(rule, "a", 3, How::charge);
  Verdict verdict;
  for (const std::uint64_t left : {2U, 0U, 0U}) {
    EXPECT_TRUE(store.decide({&charge, 1}, kStart, {&verdict, 1}));
    EXPECT_TRUE(verdict.allowed);
    EXPECT_EQ(verdict.remaining, left);
    EXPECT_EQ(verdict.retry_after, Duration(0));
  }
  EXPECT_LE(verdict.reset_after, std::chrono::hours(1)) << "no debt beyond what there was";
  const Verdict refused = ask_one(store, rule, "a", kStart);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.retry_after, seconds(720));
}

TEST(MemoryStore, AsksACounterNamedInSeveralWaysInTheStrictest) {
  MemoryStore store({});
  const Rule rule = make_rule("3/hour");
  const std::array strict = {make_ask(rule, "a", 2, How::charge), make_ask(rule, "a", 2), make_ask(rule, "a", 0)};
  std::array<Verdict, 3> verdicts;
  EXPECT_FALSE(store.decide(strict, kStart, verdicts)) << "as a take of 4";
  EXPECT_FALSE(verdicts[0].allowed);
  const std::array tried = {make_ask(rule, "a", 2, How::charge), make_ask(rule, "a", 2, How::trial)};
  EXPECT_TRUE(store.decide(tried, kStart, {verdicts.data(), 2}));
  EXPECT_FALSE(verdicts[0].allowed) << "as a trial of 4";
  EXPECT_EQ(ask_one(store, rule, "a", kStart, 0).remaining, 3U);
}

TEST(MemoryStore, RefusesMoreAsksThanARequestMayHave) {
  MemoryStore store({});
  const Rule rule = make_rule("300/hour");
  const std::vector<Ask> asks(kMaxRulesPerRequest + 1, make_ask(rule, "a"));
  std::vector<Verdict> verdicts(asks.size());
  EXPECT_FALSE(store.decide(asks, kStart, verdicts));
  EXPECT_EQ(store.keys(), 0U);
}

TEST(MemoryStore, GivesBackWhatWasTaken) {
  MemoryStore store({});
  const Rule wide = make_rule("5/hour", 0, "wide");
  const Rule narrow = make_rule("2/hour", 0, "narrow");
  const std::array asks = {make_ask(wide, "a", 3), make_ask(narrow, "a", 2), make_ask(wide, "b", 0)};
  std::array<Verdict, 3> verdicts;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store.decide(asks, kStart, verdicts));
    EXPECT_EQ(verdicts[0].remaining, 2U);
    store.give_back(asks, kStart);
  }
  EXPECT_EQ(ask_one(store, wide, "a", kStart, 0).remaining, 5U);
}

TEST(MemoryStore, GivesBackNothingToACounterItDoesNotKeep) {
  MemoryStore store({});
  const Rule rule = make_rule("5/hour");
  const Ask ask = make_ask(rule, "a", 3);
  store.give_back({&ask, 1}, kStart);
  EXPECT_EQ(store.keys(), 0U);
  EXPECT_EQ(ask_one(store, rule, "a", kStart, 0).remaining, 5U);
}

TEST(MemoryStore, KeepsNoCounterForALookOrARefusal) {
  MemoryStore store({});
  const Rule rule = make_rule("5/hour");
  ask_one(store, rule, "a", kStart, 0);
  ask_one(store, rule, "a", kStart, 6);
  EXPECT_EQ(store.keys(), 0U);
}

TEST(MemoryStore, IsNotTalkedIntoMoreByACallerWhoseClockIsBehind) {
  // Two callers by turns, one of them 300 ms behind: each time its clamp could undo what the other took.
  MemoryStore store({});
  const Rule rule = make_rule("10/second", 5);
  int admitted = 0;
  for (int i = 0; i < 1000; ++i) {
    admitted += ask_one(store, rule, "a", kStart).allowed ? 1 : 0;
    admitted += ask_one(store, rule, "a", kStart - milliseconds(300)).allowed ? 1 : 0;
  }
  EXPECT_EQ(admitted, 5);
}

TEST(MemoryStore, NamesAWaitThatHoldsOnTheCallersOwnClock) {
  MemoryStore store({});
  const Rule rule = make_rule("10/second", 1);
  ASSERT_TRUE(ask_one(store, rule, "a", kStart).allowed);
  const Instant behind = kStart - milliseconds(300);
  const Verdict refused = ask_one(store, rule, "a", behind);
  EXPECT_EQ(refused.retry_after, milliseconds(400));
  EXPECT_FALSE(ask_one(store, rule, "a", behind + refused.retry_after - Duration(1)).allowed);
  EXPECT_TRUE(ask_one(store, rule, "a", behind + refused.retry_after).allowed);
}

TEST(MemoryStore, GoesOnAfterTheClockWasSetBackAnHour) {
  MemoryStore store({});
  const Rule rule = make_rule("10/second", 5);
  for (int i = 0; i < 5; ++i) ask_one(store, rule, "a", kStart);
  const Instant back = kStart - std::chrono::hours(1);
  EXPECT_EQ(ask_one(store, rule, "a", back).retry_after, milliseconds(100));
  EXPECT_TRUE(ask_one(store, rule, "a", back + milliseconds(100)).allowed);
  EXPECT_EQ(ask_one(store, rule, "a", back + seconds(1), 0).remaining, 5U);
}

TEST(MemoryStore, StartsAnewWhereALimitsAlgorithmWasChanged) {
  const Rule before = make_rule("5/hour");
  Algorithm other = *before.algorithm;
  other.name = "other";
  Rule after = before;
  after.algorithm = &other;
  MemoryStore store({});
  ask_one(store, before, "a", kStart, 5);
  EXPECT_EQ(ask_one(store, after, "a", kStart, 1).remaining, 4U);
}

TEST(MemoryStore, NeverAdmitsOneTooManyToThreadsOnOneKey) {
  MemoryStore store({});
  const Rule rule = make_rule("1000/second", 100);
  constexpr int kThreads = 4;
  constexpr int kAsks = 20'000;
  std::atomic<std::int64_t> clock = 0;  // microseconds; each ask moves it on
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kAsks; ++i) {
        const Ask ask = make_ask(rule, "org_42");
        Verdict verdict;
        if (store.decide({&ask, 1}, kStart + Duration(clock.fetch_add(50)), {&verdict, 1})) ++admitted;
      }
    });
  for (auto& thread : threads) thread.join();
  const int most = 100 + kThreads * kAsks * 50 / 1000;
  EXPECT_LE(admitted, most);
  EXPECT_GE(admitted, most - 1) << "and they never admit too few";
}

TEST(MemoryStore, KeepsAllOrNothingBetweenThreadsThatAskSeveralRulesInAnyOrder) {
  // Each taker takes from two counters at once; whatever the order, the sums must match and nobody may wait for ever.
  MemoryStore store({.max_keys = 1'000'000});
  const Rule rule = make_rule("1/day", 3000);
  constexpr int kSubjects = 8;
  std::array<std::atomic<int>, kSubjects> taken{};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 10'000; ++i) {
        const unsigned first = random() % kSubjects;
        const unsigned second = (first + 1 + random() % (kSubjects - 1)) % kSubjects;
        const std::string names[] = {std::to_string(first), std::to_string(second)};
        const std::array asks = {make_ask(rule, names[0]), make_ask(rule, names[1])};
        std::array<Verdict, 2> verdicts;
        if (!store.decide(asks, kStart, verdicts)) continue;
        ++taken[first];
        ++taken[second];
        if (i % 10 == 0) {
          store.give_back(asks, kStart);
          --taken[first];
          --taken[second];
        }
      }
    });
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < kSubjects; ++i)
    EXPECT_EQ(ask_one(store, rule, std::to_string(i), kStart, 0).remaining, 3000U - taken[static_cast<std::size_t>(i)]);
}

TEST(MemoryStore, StandsThreadsThatAddForgetAndCountAtOnce) {
  MemoryStore store({.max_keys = 10'000});
  const Rule rule = make_rule("5/hour");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10'000; ++i) {
        ask_one(store, rule, std::to_string(t) + ':' + std::to_string(i), kStart + Duration(i));
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
