// Requests at the same time, in the memory store.
#include "headgate/limit/in_flight.hpp"

#include "support/rules.hpp"

#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace headgate::limit {
namespace {

using test::kStart;
using test::make_check;

class InFlight : public testing::Test {
 protected:
  static Rule at_most(std::uint64_t most) {
    Rule rule;
    rule.limit = "flights";
    rule.algorithm = &in_flight;
    rule.burst = most;
    rule.rate = {most, kFlightLease};
    name_rule(rule, false, PeriodInKey::no);
    return rule;
  }
  Decision ask(const Rule& rule, std::int64_t cost = 1, std::string_view key = "caller", Instant now = kStart) {
    const auto check = make_check(rule, key, cost);
    Decision decision;
    store.decide({&check, 1}, now, {&decision, 1});
    return decision;
  }
  void give_back(const Rule& rule) {
    const auto check = make_check(rule, "caller");
    store.give_back({&check, 1}, kStart);
  }

  MemoryStore store{{.max_keys = 1000}};
};

TEST_F(InFlight, AreAllowedUpToTheirNumber) {
  const auto rule = at_most(2);
  EXPECT_EQ(ask(rule).remaining, 1U);
  EXPECT_EQ(ask(rule).remaining, 0U);
  const auto third = ask(rule);
  EXPECT_FALSE(third.allowed);
  EXPECT_EQ(third.limit, 2U);
  EXPECT_EQ(third.retry_after, kFlightRetry);
  EXPECT_TRUE(ask(rule, 1, "another").allowed) << "each key has its own";
}

TEST_F(InFlight, AreNotFreedByTime) {
  const auto rule = at_most(1);
  EXPECT_TRUE(ask(rule).allowed);
  EXPECT_FALSE(ask(rule, 1, "caller", kStart + std::chrono::hours(24 * 365)).allowed);
}

TEST_F(InFlight, AreFreeOnceGivenBack) {
  const auto rule = at_most(1);
  EXPECT_TRUE(ask(rule).allowed);
  give_back(rule);
  EXPECT_TRUE(ask(rule).allowed);
}

TEST_F(InFlight, AreNeverLessThanNone) {
  const auto rule = at_most(1);
  give_back(rule);
  give_back(rule);
  EXPECT_TRUE(ask(rule).allowed);
  EXPECT_FALSE(ask(rule).allowed) << "what was given back too often grants nothing";
}

TEST_F(InFlight, HoldOnePermitWhateverTheCost) {
  const auto rule = at_most(2);
  EXPECT_EQ(ask(rule, 100).remaining, 1U);
  EXPECT_EQ(ask(rule, 0).remaining, 1U);
}

TEST_F(InFlight, KeepTheirCountWhenTheNumberChanges) {
  EXPECT_TRUE(ask(at_most(5)).allowed);
  EXPECT_TRUE(ask(at_most(5)).allowed);
  EXPECT_FALSE(ask(at_most(2)).allowed);
  EXPECT_EQ(ask(at_most(4)).remaining, 1U);
}

TEST_F(InFlight, OutliveAFloodOfOtherKeys) {
  const auto rule = at_most(1);
  ASSERT_TRUE(ask(rule).allowed);
  const auto rate = test::make_rule("10/hour", 10, "flood");
  for (int i = 0; i < 20'000; ++i) ask(rate, 1, std::to_string(i));
  EXPECT_FALSE(ask(rule).allowed) << "it is still held";
}

TEST_F(InFlight, AreNeverMoreThanTheirNumberOnSeveralThreads) {
  const auto rule = at_most(3);
  std::atomic<int> held = 0;
  std::atomic<int> highest = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5'000; ++i) {
        if (!ask(rule).allowed) continue;
        const int now = ++held;
        for (int seen = highest; now > seen && !highest.compare_exchange_weak(seen, now);) continue;
        --held;
        give_back(rule);
      }
    });
  threads.clear();
  EXPECT_LE(highest, 3);
  EXPECT_EQ(ask(rule, 0).remaining, 3U);
}

}  // namespace
}  // namespace headgate::limit
