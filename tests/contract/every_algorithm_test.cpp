// Properties of every algorithm. A new algorithm is tested without a change here.

#include "shipped_script.hpp"
#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using limit::Algorithm;
using limit::Decision;
using limit::Rule;

std::string algorithm_name(const testing::TestParamInfo<const Algorithm*>& info) {
  return std::string(info.param->name);
}

class EveryAlgorithm : public testing::TestWithParam<const Algorithm*> {
 protected:
  void SetUp() override {
    std::string why;
    server_ = shared_redis(why);
    if (server_ == nullptr) GTEST_SKIP() << why;
  }

  static Rule rule_of(std::string_view rate, const Algorithm& algorithm = *GetParam()) {
    return make_rule(rate, 0, "plan", algorithm.name);
  }

  RedisServer* server_ = nullptr;
};

/// Runs on the test's clock, in memory and in Redis.
class EveryAlgorithmsUsage : public EveryAlgorithm {
 protected:
  void SetUp() override {
    EveryAlgorithm::SetUp();
    if (server_ != nullptr) redis_ = std::make_unique<InRedis>(server_->port());
  }

  Decision check(const Rule& rule, std::int64_t cost, Instant at) {
    EXPECT_FALSE(rule.algorithm->check(rule));
    const limit::Check check = make_check(rule, "org_42", cost);
    Decision here;
    Decision there;
    memory_->decide({&check, 1}, at, {&here, 1});
    redis_->decide({&check, 1}, at, {&there, 1});
    EXPECT_EQ(here.allowed, there.allowed);
    EXPECT_EQ(here.remaining, there.remaining);
    EXPECT_EQ(here.retry_after, there.retry_after);
    EXPECT_EQ(here.reset_after, there.reset_after);
    return here;
  }

  /// Uses up all of `before`, and changes to `after` a second later, when almost nothing has come back.
  void change(const char* before, const char* after) {
    SCOPED_TRACE(std::string(before) + " becomes " + after);
    RedisClient(server_->port()).command({"FLUSHALL"});
    memory_.emplace();
    const Rule old = rule_of(before);
    const Rule now = rule_of(after);
    ASSERT_TRUE(check(old, static_cast<std::int64_t>(old.burst), kStart).allowed);
    ASSERT_EQ(check(old, 0, kStart).remaining, 0U);
    const auto fresh = now.burst;
    const auto kept = check(now, 0, kStart + 1s);
    EXPECT_LE(kept.remaining, fresh - std::min(fresh, old.burst)) << "what was used is forgotten";
    EXPECT_GT(kept.reset_after, Duration(0));
    const auto rejected = check(now, static_cast<std::int64_t>(kept.remaining) + 1, kStart + 1s);
    EXPECT_FALSE(rejected.allowed);
    ASSERT_LT(rejected.retry_after, limit::kNever);
    EXPECT_TRUE(check(now, static_cast<std::int64_t>(kept.remaining) + 1, kStart + 1s + rejected.retry_after).allowed);
  }

  std::optional<InMemory> memory_;
  std::unique_ptr<InRedis> redis_;
};

TEST_P(EveryAlgorithmsUsage, IsKeptWhenThePeriodChanges) {
  change("10/hour", "10/2h");
  change("10/hour", "10/30m");
  change("10/hour", "10/minute");
  change("10/minute", "10/hour");
  change("7/hour", "7/11m");
}

TEST_P(EveryAlgorithmsUsage, IsKeptWhenTheCountChanges) {
  change("10/hour", "5/hour");
  change("10/hour", "9/hour");
  change("10/hour", "11/hour");
}

TEST_P(EveryAlgorithmsUsage, IsKeptWhenBothChange) {
  change("10/hour", "5/30m");
  change("5/30m", "10/hour");
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithmsUsage,
                         testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()), algorithm_name);

/// Runs the shipped script on the real clock of a real Redis.
class EveryAlgorithmsKey : public EveryAlgorithm {
 protected:
  void SetUp() override {
    EveryAlgorithm::SetUp();
    if (server_ == nullptr) return;
    script_ = std::make_unique<ShippedScript>(server_->port());
  }

  Decision decide(const Rule& rule, std::int64_t cost = 1) { return script_->decide(rule, cost, ShippedScript::now()); }
  std::int64_t left_to_live() { return script_->left_to_live(); }
  std::string keys() { return script_->client.text({"DBSIZE"}); }

  std::unique_ptr<ShippedScript> script_;
};

TEST_P(EveryAlgorithmsKey, LivesUntilItIsAsIfNeverUsed) {
  const Rule rule = rule_of("7/hour");
  const auto told = std::chrono::ceil<std::chrono::milliseconds>(decide(rule).reset_after).count();
  EXPECT_GE(left_to_live(), told - 1000);
  EXPECT_LE(left_to_live(), 2 * 3'600'002) << "and not for ever";
}

TEST_P(EveryAlgorithmsKey, IsNotMadeForALookARejectionOrAGiveBack) {
  const Rule rule = rule_of("7/hour");
  decide(rule, 0);
  decide(rule, 8);
  decide(rule, -1);
  EXPECT_EQ(keys(), "0");
  decide(rule, 1);
  EXPECT_EQ(keys(), "1");
  decide(rule, -1);
  EXPECT_EQ(keys(), "0");
}

TEST_P(EveryAlgorithmsKey, ReplacesWhatAnotherWrote) {
  for (const auto* other : limit::algorithms()) {
    if (other == GetParam()) continue;
    script_->client.command({"FLUSHALL"});
    decide(rule_of("7/hour", *other));
    const auto decision = decide(rule_of("7/hour"));
    EXPECT_TRUE(decision.allowed || decision.remaining == 0) << other->name;
    EXPECT_GT(left_to_live(), 0) << other->name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithmsKey,
                         testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()), algorithm_name);

}  // namespace
}  // namespace headgate::test
