// Tests of windows and logs that are not rows: rules that change, calendars, and other values under a key.

#include "shipped_script.hpp"
#include "stores.hpp"
#include "support/rules.hpp"

#include "headgate/core/time.hpp"
#include "headgate/limit/calendar.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using limit::Calendar;
using limit::Decision;
using limit::Rule;

constexpr const char* kWindows[] = {"fixed_window", "sliding_window", "sliding_log"};

Rule window(std::string_view algorithm, std::string_view rate) { return make_rule(rate, 0, "plan", algorithm); }

/// Checks in memory and in Redis, which must decide the same.
class Windows : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    server_ = shared_redis(why);
    if (server_ == nullptr) GTEST_SKIP() << why;
    redis_ = std::make_unique<InRedis>(server_->port());
  }

  Decision check(const Rule& rule, std::int64_t cost, Instant at, std::string_view who = "org_42") {
    EXPECT_FALSE(rule.algorithm->check(rule));
    const limit::Check check = make_check(rule, who, cost);
    Decision here;
    Decision there;
    memory_.decide({&check, 1}, at, {&here, 1});
    redis_->decide({&check, 1}, at, {&there, 1});
    EXPECT_EQ(here.allowed, there.allowed);
    EXPECT_EQ(here.remaining, there.remaining);
    EXPECT_EQ(here.retry_after, there.retry_after);
    EXPECT_EQ(here.reset_after, there.reset_after);
    return here;
  }

  RedisServer* server_ = nullptr;
  InMemory memory_;
  std::unique_ptr<InRedis> redis_;
};

TEST_F(Windows, CarryOverWhatWasUsedWhenTheCountChanges) {
  Instant start = kStart;
  for (const char* algorithm : kWindows) {
    start += 24h;
    SCOPED_TRACE(algorithm);
    const Rule small = window(algorithm, "5/minute");
    const Rule large = window(algorithm, "10/minute");
    EXPECT_EQ(check(large, 4, start, algorithm).remaining, 6U);
    EXPECT_EQ(check(small, 0, start, algorithm).remaining, 1U);
    EXPECT_EQ(check(large, 6, start + 1s, algorithm).remaining, 0U);
    const Decision rejected = check(small, 1, start + 2s, algorithm);
    EXPECT_FALSE(rejected.allowed);
    EXPECT_EQ(rejected.remaining, 0U);
    EXPECT_FALSE(check(small, 1, start + 2s + rejected.retry_after - 1us, algorithm).allowed);
    EXPECT_TRUE(check(small, 0, start + 2s, algorithm).allowed);
    EXPECT_EQ(check(window(algorithm, "20/minute"), 0, start + 2s, algorithm).remaining, 10U);
    EXPECT_TRUE(check(small, 1, start + 2s + rejected.retry_after, algorithm).allowed);
  }
}

TEST_F(Windows, CarryOverWhatWasUsedWhenThePeriodChanges) {
  Instant start = kStart;
  for (const char* algorithm : kWindows) {
    start += 24h;
    SCOPED_TRACE(algorithm);
    const std::string shorter = std::string(algorithm) + "1";
    EXPECT_EQ(check(window(algorithm, "10/hour"), 4, start, shorter).remaining, 6U);
    EXPECT_LE(check(window(algorithm, "10/minute"), 1, start + 1s, shorter).remaining, 5U);
    EXPECT_EQ(check(window(algorithm, "10/minute"), 0, start + 3min, shorter).remaining, 10U);
    const std::string longer = std::string(algorithm) + "2";
    EXPECT_EQ(check(window(algorithm, "10/minute"), 4, start, longer).remaining, 6U);
    EXPECT_LE(check(window(algorithm, "10/hour"), 1, start + 1s, longer).remaining, 5U);
  }
}

TEST_F(Windows, AFullLogCanBeTakenAndGivenBackAtOnce) {
  const Rule rule = window("sliding_log", "10000/hour");
  EXPECT_TRUE(check(rule, 10'000, kStart).allowed);
  EXPECT_EQ(check(rule, 1, kStart + 1s).retry_after, 1h - 1s);
  EXPECT_EQ(check(rule, -2'500, kStart + 1s).remaining, 2'500U);
  EXPECT_EQ(check(rule, 2'500, kStart + 2s).remaining, 0U);
  EXPECT_EQ(check(rule, 2'501, kStart + 3s).retry_after, 1h - 3s);
  EXPECT_EQ(check(rule, 7'501, kStart + 3s).retry_after, 1h - 1s);
  // with a clock that is behind, all requests count from that time on, and only once
  EXPECT_EQ(check(rule, 0, kStart - 1h).remaining, 0U);
  EXPECT_EQ(check(rule, 10'000, kStart).remaining, 0U);
}

Instant utc(int y, unsigned m, unsigned d, std::chrono::hours h = 0h) {
  return std::chrono::sys_days(std::chrono::year(y) / m / d) + h;
}

Rule calendar_rule(std::string_view rate, Calendar::Unit unit) {
  Rule rule = window("fixed_window", rate);
  rule.calendar = std::make_shared<const Calendar>(
      unit, "Europe/Vienna",
      std::vector<limit::ZoneOffset>{{utc(2000, 1, 1), 1h}, {utc(2026, 3, 29, 1h), 2h}, {utc(2026, 10, 25, 1h), 1h}});
  return rule;
}

TEST_F(Windows, OfACalendarEndWithTheDayOfTheZone) {
  const Rule rule = calendar_rule("3/day", Calendar::Unit::day);
  const Instant midnight = utc(2026, 3, 28, 23h);
  EXPECT_EQ(check(rule, 3, midnight).reset_after, 23h);
  EXPECT_EQ(check(rule, 1, midnight + 22h).retry_after, 1h);
  EXPECT_FALSE(check(rule, 1, midnight + 23h - 1us).allowed);
  EXPECT_EQ(check(rule, 1, midnight + 23h).reset_after, 24h);
  EXPECT_EQ(check(rule, 1, utc(2026, 10, 24, 22h)).reset_after, 25h);
}

TEST_F(Windows, OfACalendarEndWithTheMonthOfTheZone) {
  const Rule rule = calendar_rule("200000/month", Calendar::Unit::month);
  EXPECT_EQ(check(rule, 200'000, utc(2026, 1, 31, 23h)).reset_after, 28 * 24h);
  EXPECT_EQ(check(rule, 1, utc(2026, 2, 28, 22h)).retry_after, 1h);
  EXPECT_EQ(check(rule, 1, utc(2026, 2, 28, 23h)).reset_after, 31 * 24h - 1h);
}

/// The script as it is shipped, on the real clock of a real Redis.
class WindowScript : public Windows {
 protected:
  void SetUp() override {
    Windows::SetUp();
    if (server_ == nullptr) return;
    script_ = std::make_unique<ShippedScript>(server_->port());
  }

  Decision decide(const Rule& rule, std::int64_t cost = 1, Instant here = ShippedScript::now()) {
    return script_->decide(rule, cost, here);
  }
  std::int64_t left_to_live() { return script_->left_to_live(); }
  RedisClient& client() { return script_->client; }

  static constexpr const char* kKey = ShippedScript::kKey;
  std::unique_ptr<ShippedScript> script_;
};

TEST_F(WindowScript, LeaveEachCounterATimeToLiveUntilItCountsNoLonger) {
  for (const auto& [algorithm, most] : {std::pair{"fixed_window", 1}, {"sliding_window", 2}, {"sliding_log", 1}}) {
    const Rule rule = window(algorithm, "7/hour");
    for (const std::int64_t cost : {2, 3, -1}) {
      const Decision decision = decide(rule, cost);
      const auto told = std::chrono::ceil<std::chrono::milliseconds>(decision.reset_after).count();
      EXPECT_LE(left_to_live(), most * 3'600'002) << algorithm;
      EXPECT_GE(left_to_live(), told - 1000) << algorithm;
      EXPECT_GT(left_to_live(), 0) << algorithm;
    }
    decide(rule, -100);
    EXPECT_EQ(client().text({"DBSIZE"}), "0") << algorithm;
  }
}

TEST_F(WindowScript, StoreNothingForALookOrARejection) {
  for (const char* algorithm : kWindows) {
    decide(window(algorithm, "7/hour"), 0);
    decide(window(algorithm, "7/hour"), 8);
    decide(window(algorithm, "7/hour"), -1);
    EXPECT_EQ(client().text({"DBSIZE"}), "0") << algorithm;
  }
}

TEST_F(WindowScript, IgnoreValuesThatTheyDidNotWrite) {
  const std::vector<std::vector<std::string>> foreign = {
      {"SET", kKey, "garbage"},
      {"SET", kKey, ""},
      {"SET", kKey, "nan"},
      {"SET", kKey, "4000000000000000"},  // a value of a bucket
      {"SET", kKey, "4000000000000000:5"},
      {"SET", kKey, "5@"},
      {"SET", kKey, "-5@4000000000000000"},
      {"SET", kKey, "99999999999999999999@4000000000000000"},
      {"SET", kKey, "1.5@4000000000000000"},
      {"SET", kKey, "5+99999999999999@4000000000000000"},
      {"HSET", kKey, "tokens", "3"},
      {"ZADD", kKey, "4000000000000000", "a"},
      {"SADD", kKey, "4000000000000000"},
      {"RPUSH", kKey, "garbage"},
      {"RPUSH", kKey, "1795238424123456", "nan"},
      {"RPUSH", kKey, "1795238424123456", "-5"},
  };
  for (const char* algorithm : kWindows)
    for (const auto& command : foreign) {
      SCOPED_TRACE(std::string(algorithm) + ": " + testing::PrintToString(command));
      client().command({"DEL", kKey});
      client().command(command);
      const Rule rule = window(algorithm, "7/hour");
      EXPECT_EQ(decide(rule, 0).remaining, 7U);
      EXPECT_EQ(decide(rule, -1).remaining, 7U);
      EXPECT_EQ(decide(rule).remaining, 6U);
      EXPECT_EQ(decide(rule).remaining, 5U);
      EXPECT_GT(left_to_live(), 0);
    }
}

TEST_F(WindowScript, ReplaceWhatEachOtherWrote) {
  for (const char* before : {"token_bucket", "fixed_window", "sliding_window", "sliding_log"})
    for (const char* after : kWindows) {
      if (before == std::string_view(after)) continue;
      client().command({"DEL", kKey});
      decide(window(before, "7/hour"), 7);
      EXPECT_EQ(decide(window(after, "7/hour")).remaining, 6U) << before << " then " << after;
      EXPECT_GT(left_to_live(), 0) << before << " then " << after;
    }
}

TEST_F(WindowScript, ReduceWhatAClockFarAheadWroteEvenIfTheyReject) {
  const std::string ahead = "4000000000000000";
  const std::vector<std::pair<const char*, std::vector<std::string>>> written = {
      {"fixed_window", {"SET", kKey, "7@" + ahead}},
      {"sliding_window", {"SET", kKey, "7+0@" + ahead}},
      {"sliding_log", {"RPUSH", kKey, ahead, ahead, ahead, ahead, ahead, ahead, ahead}}};
  for (const auto& [algorithm, command] : written) {
    client().command(command);
    const Rule rule = window(algorithm, "7/hour");
    const Decision rejected = decide(rule);
    EXPECT_FALSE(rejected.allowed) << algorithm;
    EXPECT_LE(rejected.retry_after, 2h) << algorithm;
    EXPECT_GT(left_to_live(), 0) << algorithm;
    EXPECT_LE(left_to_live(), 7'200'002) << algorithm;
    EXPECT_LE(decide(rule).retry_after, rejected.retry_after) << algorithm;
    client().command({"DEL", kKey});
  }
}

TEST_F(WindowScript, CountByTheClockOfRedisIfGatewaysDisagree) {
  const Rule rule = calendar_rule("3/day", Calendar::Unit::day);
  EXPECT_EQ(decide(rule, 1, now()).remaining, 2U);
  EXPECT_EQ(decide(rule, 1, now() + 20h).remaining, 1U);
  EXPECT_EQ(decide(rule, 1, now() - 20h).remaining, 0U);
  EXPECT_FALSE(decide(rule).allowed);
}

TEST_F(WindowScript, CountEvenIfTheGatewaysCalendarIsFarFromTheClockOfRedis) {
  const Rule rule = calendar_rule("2/day", Calendar::Unit::day);
  for (const Duration wrong : {Duration(-400 * 24h), Duration(-3 * 24h), Duration(3 * 24h), Duration(400 * 24h)}) {
    client().command({"DEL", kKey});
    EXPECT_EQ(decide(rule, 1, now() + wrong).remaining, 1U);
    EXPECT_EQ(decide(rule, 1, now() + wrong).remaining, 0U);
    const Decision rejected = decide(rule, 1, now() + wrong);
    EXPECT_FALSE(rejected.allowed);
    EXPECT_GT(rejected.retry_after, 22h);
    EXPECT_LE(rejected.retry_after, 25h);
    EXPECT_GT(left_to_live(), 0);
  }
}

}  // namespace
}  // namespace headgate::test
