// Every rate, burst, wait and cost that a user may write works the same in memory and in Redis, or is refused with a
// reason and an alternative.

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>

namespace headgate::test {
namespace {

using limit::Check;
using limit::Decision;
using limit::Rule;

constexpr const char* kRates[] = {"1/day",
                                  "1/minute",
                                  "7/second",
                                  "1000/second",
                                  "1000000/second",
                                  "1/100ms",
                                  "10/100ms",
                                  "1000/100ms",
                                  "3/7h",
                                  "5000/hour",
                                  "200000/day",
                                  "1/30d",
                                  "1000/30d",
                                  "1000000/30d",
                                  "1/31d",
                                  "1000000000/31d",
                                  "999983/5m",
                                  "10/366d",
                                  "10000000000000/100ms",
                                  "10000000000000/minute",
                                  "9999999999971/366d",
                                  "5000000000/7h"};

class EveryRate : public testing::TestWithParam<std::tuple<const limit::Algorithm*, const char*>> {
 protected:
  void SetUp() override {
    std::string why;
    RedisServer* server = shared_redis(why);
    if (server == nullptr) GTEST_SKIP() << why;
    redis_ = std::make_unique<InRedis>(server->port());
  }

  /// Returns the decision of both stores, which must be the same.
  Decision check(const Rule& rule, std::int64_t cost, Instant at) {
    const Check one = make_check(rule, "somebody", cost);
    Decision here;
    Decision there;
    const bool allowed = memory_->decide({&one, 1}, at, {&here, 1});
    EXPECT_EQ(redis_->decide({&one, 1}, at, {&there, 1}), allowed);
    EXPECT_EQ(here.remaining, there.remaining);
    EXPECT_EQ(here.retry_after, there.retry_after);
    EXPECT_EQ(here.reset_after, there.reset_after);
    EXPECT_EQ(here.delay, there.delay);
    EXPECT_EQ(here.allowed, allowed);
    return here;
  }

  /// Peeks, takes, gives back and waits. `most` is what can be taken at once.
  void live(const Rule& rule) {
    memory_.emplace();  // otherwise it would use the later clock of the previous rule
    const auto most = static_cast<std::int64_t>(check(rule, 0, kStart).limit);
    ASSERT_GE(most, 1);
    EXPECT_EQ(check(rule, 0, kStart).remaining, static_cast<std::uint64_t>(most)) << "a look takes nothing";
    ASSERT_TRUE(check(rule, 1, kStart).allowed);
    if (most > 1) {
      ASSERT_TRUE(check(rule, most - 1, kStart).allowed) << "all of it at once";
    }
    Instant at = kStart;
    Decision rejected;
    for (int waits = 0; waits < 1000 && (rejected = check(rule, 1, at)).allowed; ++waits)
      EXPECT_LE(rejected.delay, rule.wait);
    if (rejected.allowed) return;  // the wait is too long for this test
    ASSERT_GT(rejected.retry_after, Duration(0));
    ASSERT_LT(rejected.retry_after, limit::kNever);
    EXPECT_FALSE(check(rule, 1, at + rejected.retry_after - Duration(1)).allowed) << "a microsecond too early";
    at += rejected.retry_after;
    EXPECT_TRUE(check(rule, 1, at).allowed) << "as promised";
    const Decision before = check(rule, 0, at);
    EXPECT_GE(check(rule, -1, at).remaining, before.remaining);
    EXPECT_TRUE(check(rule, 1, at).allowed) << "what was given back can be taken again";
    at += check(rule, 0, at).reset_after;
    EXPECT_EQ(check(rule, 0, at).remaining, static_cast<std::uint64_t>(most)) << "as if never used";
    EXPECT_EQ(check(rule, 0, at).reset_after, Duration(0));
    EXPECT_FALSE(check(rule, most + 1, at).allowed && rule.wait == Duration(0)) << "more than there ever is";
  }

  std::optional<InMemory> memory_;
  std::unique_ptr<InRedis> redis_;
};

TEST_P(EveryRate, WorksOrIsRefusedWithAReason) {
  const auto [algorithm, rate] = GetParam();
  int kept = 0;
  for (const auto burst : std::array<std::uint64_t, 5>{0, 1, 10, 1'000'000, 10'000'000'000'000}) {
    for (const Duration wait : {Duration(0), Duration(250'000), Duration(30'000'000)}) {
      const auto name = "b" + std::to_string(burst) + "w" + std::to_string(wait.count());
      const Rule rule = make_rule(rate, burst, name, algorithm->name, wait);
      SCOPED_TRACE(std::string(algorithm->name) + " " + rate + " " + name);
      if (const auto fault = algorithm->check(rule)) {
        EXPECT_NE(fault->message, "");
        EXPECT_NE(fault->help, "");
        continue;
      }
      ++kept;
      EXPECT_NE(algorithm->meaning(rule, " requests"), "");
      live(rule);
    }
  }
  EXPECT_TRUE(kept > 0 || algorithm->name == "sliding_log") << "its usual burst, without a wait, must be kept";
}

std::string rate_name(const testing::TestParamInfo<EveryRate::ParamType>& info) {
  std::string out = std::string(std::get<0>(info.param)->name) + "_" + std::get<1>(info.param);
  for (char& c : out)
    if (c == '/') c = '_';
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, EveryRate,
                         testing::Combine(testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()),
                                          testing::ValuesIn(kRates)),
                         rate_name);

}  // namespace
}  // namespace headgate::test
