// A peek of the script replies what the next call would reply, as in the memory store, and changes nothing in Redis.

#include "shipped_script.hpp"
#include "stores.hpp"
#include "support/rules.hpp"

#include "headgate/limit/in_flight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

namespace headgate::test {
namespace {

using limit::Check;
using limit::Decision;
using limit::How;
using limit::Rule;

std::string told(bool all, std::span<const Decision> decisions) {
  std::string text = all ? "all agree:" : "rejected:";
  for (const Decision& v : decisions)
    text += " (" + std::to_string(v.allowed) + ' ' + std::to_string(v.limit) + ' ' + std::to_string(v.remaining) + ' ' +
            std::to_string(v.retry_after.count()) + ' ' + std::to_string(v.reset_after.count()) + ' ' +
            std::to_string(v.delay.count()) + ')';
  return text;
}

std::vector<Check> peek_of(std::vector<Check> checks) {
  for (auto& check : checks) check.peek = true;
  return checks;
}

std::string ask(ContractStore& store, std::span<const Check> checks, Instant now) {
  std::vector<Decision> decisions(checks.size());
  const bool all = store.decide(checks, now, decisions);
  return told(all, decisions);
}

class PeekInRedis : public testing::TestWithParam<const limit::Algorithm*> {
 protected:
  void SetUp() override {
    std::string why;
    server_ = shared_redis(why);
    if (server_ == nullptr) GTEST_SKIP() << why;
    redis_ = std::make_unique<InRedis>(server_->port());
  }

  /// Returns all keys and their values in Redis.
  std::map<std::string, std::string> everything() {
    std::map<std::string, std::string> out;
    const auto keys = redis_->client().command({"KEYS", "*"});
    for (std::size_t i = 0; i < keys->elements; ++i) {
      const std::string key(keys->element[i]->str, keys->element[i]->len);
      out[key] = redis_->client().text({"DUMP", key});
    }
    return out;
  }
  template <class T>
  const T& any_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }
  std::vector<Check> any_call(const std::vector<Rule>& rules) {
    static const std::vector<std::string> keys{"alice", "bob", ""};
    static const std::vector<std::int64_t> costs{1, 1, 1, 1, 2, 3, 0, -1, 9};
    static const std::vector<How> hows{How::take, How::take, How::take, How::observe, How::charge, How::debt};
    std::vector<Check> checks;
    for (auto count = 1 + random_() % 3; count > 0; --count)
      checks.push_back(make_check(any_of(rules), any_of(keys), any_of(costs), any_of(hows)));
    return checks;
  }

  std::mt19937_64 random_{20261123};
  RedisServer* server_ = nullptr;
  std::unique_ptr<InRedis> redis_;
};

TEST_P(PeekInRedis, RepliesWhatTheNextCallDoesAndWritesNothing) {
  const std::string name(GetParam()->name);
  // The last two are one counter with two sizes, as before and after a reload.
  std::vector<Rule> rules{make_rule("5/second", 5, "one", name), make_rule("7/3s", 7, "two", name),
                          make_rule("5/second", 3, "changed", name), make_rule("9/2s", 9, "changed", name)};
  if (const Rule waits = make_rule("3/second", 3, "waits", name, std::chrono::seconds(2)); !GetParam()->check(waits))
    rules.push_back(waits);
  InMemory memory;
  Instant now = kStart;
  int rejected = 0;
  for (int step = 0; step < 600; ++step) {
    now += Duration(random_() % 400'000);
    if (step % 150 == 149) now -= std::chrono::seconds(20);  // a clock that is behind
    const auto before = everything();
    ask(*redis_, peek_of(any_call(rules)), now);
    const auto call = any_call(rules);
    const auto peeked = ask(*redis_, peek_of(call), now);
    ASSERT_EQ(everything(), before) << "step " << step;
    ASSERT_EQ(peeked, ask(memory, peek_of(call), now)) << "step " << step;
    ASSERT_EQ(peeked, ask(*redis_, call, now)) << "step " << step;
    ASSERT_EQ(peeked, ask(memory, call, now)) << "step " << step;
    rejected += peeked.starts_with("rejected") ? 1 : 0;
  }
  EXPECT_GT(rejected, 50);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, PeekInRedis,
                         testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

class PeekOfTheShippedScript : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    RedisServer* const server = shared_redis(why);
    if (server == nullptr) GTEST_SKIP() << why;
    script_ = std::make_unique<ShippedScript>(server->port());
  }
  Decision decide(const Check& check) {
    std::vector<std::string> arguments;
    limit::script_arguments({&check, 1}, "hg:", kStart, arguments);
    std::vector<std::string> words = {"EVALSHA", std::string(limit::decide_script_sha())};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::string error;
    const auto reply = script_->client.integers(words, error);
    Decision decision;
    bool all_allowed = false;
    EXPECT_TRUE(reply && limit::read_script_reply(*reply, {&check, 1}, {&decision, 1}, all_allowed)) << error;
    return decision;
  }

  std::unique_ptr<ShippedScript> script_;
};

TEST_F(PeekOfTheShippedScript, CreatesNoKeyAndKeepsTheTimeToLive) {
  for (const auto* algorithm : limit::algorithms()) {
    SCOPED_TRACE(algorithm->name);
    script_->client.command({"FLUSHALL"});
    const Rule rule = make_rule("10/hour", 10, "plan", algorithm->name);
    Check check = make_check(rule, ShippedScript::kOwner);
    check.peek = true;
    EXPECT_EQ(decide(check).remaining, 9U);
    EXPECT_EQ(script_->client.text({"DBSIZE"}), "0");
    check.peek = false;
    decide(check);
    script_->client.command({"PEXPIRE", ShippedScript::kKey, "5000"});
    check.peek = true;
    EXPECT_EQ(decide(check).remaining, 8U);
    EXPECT_LE(script_->left_to_live(), 5'000);
    EXPECT_GT(script_->left_to_live(), 1'000);
  }
}

TEST_F(PeekOfTheShippedScript, OfRequestsInFlightTakesNoPermitAndNoPlaceInTheQueue) {
  Rule rule;
  rule.limit = "flights";
  rule.algorithm = &limit::in_flight;
  rule.burst = 2;
  rule.rate = {2, limit::kFlightLease};
  rule.wait = std::chrono::seconds(1);
  rule.queue = 10;
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  const auto permit = [&](std::string_view token, bool peek, std::uint32_t waited = 0) {
    Check check = make_check(rule, "caller");
    check.token = token;
    check.waited = waited;
    check.peek = peek;
    return check;
  };
  EXPECT_EQ(decide(permit("", true)).remaining, 1U);
  EXPECT_EQ(script_->client.text({"DBSIZE"}), "0");
  EXPECT_EQ(decide(permit("one", false)).remaining, 1U);
  EXPECT_EQ(decide(permit("", true)).remaining, 0U);
  EXPECT_EQ(decide(permit("two", false)).remaining, 0U);
  EXPECT_FALSE(decide(permit("", true)).allowed);
  EXPECT_FALSE(decide(permit("three", true, 1)).allowed) << "it would stand in the queue";
  const auto key = "hg:v1:{caller}" + rule.suffix;
  EXPECT_EQ(script_->client.text({"ZCARD", key}), "2");
  EXPECT_FALSE(decide(permit("three", false, 1)).allowed);
  EXPECT_EQ(script_->client.text({"ZCARD", key}), "3") << "now it does";
}

}  // namespace
}  // namespace headgate::test
