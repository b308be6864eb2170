// The script exactly as it is shipped, in a real Redis on its real clock.

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

namespace headgate::test {
namespace {

using limit::Check;
using limit::Decision;
using limit::Rule;

class Script : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    server_ = shared_redis(why);
    if (server_ == nullptr) GTEST_SKIP() << why;
    client_ = std::make_unique<RedisClient>(server_->port());
    ASSERT_EQ(client_->text({"SCRIPT", "LOAD", std::string(limit::decide_script())}), limit::decide_script_sha());
  }

  static bool decide(RedisClient& client, std::span<const Check> checks, std::span<Decision> decisions) {
    std::vector<std::string> arguments;
    limit::script_arguments(checks, "hg:", kStart, arguments);
    std::vector<std::string> words = {"EVALSHA", std::string(limit::decide_script_sha())};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::string error;
    const auto reply = client.integers(words, error);
    bool all_allowed = false;
    if (!reply) {
      ADD_FAILURE() << error;
    } else if (!limit::read_script_reply(*reply, checks, decisions, all_allowed)) {
      ADD_FAILURE() << "the reply has not the promised shape: " << testing::PrintToString(*reply);
    }
    return all_allowed;
  }

  Decision decide(const Check& check) {
    Decision decision;
    decide(*client_, {&check, 1}, {&decision, 1});
    return decision;
  }

  RedisServer* server_ = nullptr;
  std::unique_ptr<RedisClient> client_;
};

TEST_F(Script, CountsByTheClockOfRedis) {
  const Rule rule = make_rule("2/hour");
  const Check check = make_check(rule, "org_42");
  EXPECT_EQ(decide(check).remaining, 1U);
  EXPECT_EQ(decide(check).remaining, 0U);
  const Decision rejected = decide(check);
  EXPECT_FALSE(rejected.allowed);
  EXPECT_GT(rejected.retry_after, std::chrono::minutes(29));
  EXPECT_LE(rejected.retry_after, std::chrono::minutes(30));
}

TEST_F(Script, AllowsARequestThatWaitedAsLongAsTold) {
  const Rule rule = make_rule("20/second", 1);
  const Check check = make_check(rule, "org_42");
  ASSERT_TRUE(decide(check).allowed);
  for (int i = 0; i < 5; ++i) {
    const Decision rejected = decide(check);
    ASSERT_FALSE(rejected.allowed);
    std::this_thread::sleep_for(rejected.retry_after);  // the test is about the wait itself
    EXPECT_TRUE(decide(check).allowed);
  }
}

TEST_F(Script, LeavesEachCounterATimeToLiveUntilItIsFull) {
  const Rule rule = make_rule("60/minute", 100);
  decide(make_check(rule, "org_42", 10));
  const int left = std::atoi(client_->text({"PTTL", "hg:v1:{org_42}:plan:"}).c_str());
  EXPECT_LE(left, 10'002);
  EXPECT_GT(left, 9'000);
}

TEST_F(Script, KeepsATimeToLiveOnACounterInParts) {
  const Rule rule = make_rule("7/second", 70);
  decide(make_check(rule, "org_42", 64));
  const int left = std::atoi(client_->text({"PTTL", "hg:v1:{org_42}:plan:"}).c_str());
  EXPECT_LE(left, 9'145);
  EXPECT_GT(left, 8'000);
}

TEST_F(Script, StoresNothingForALookARejectionOrAFullCounter) {
  const Rule rule = make_rule("60/minute");
  decide(make_check(rule, "org_42", 0));
  decide(make_check(rule, "org_42", 61));
  decide(make_check(rule, "org_42", -3));
  EXPECT_EQ(client_->text({"DBSIZE"}), "0");
  decide(make_check(rule, "org_42", 3));
  EXPECT_EQ(client_->text({"DBSIZE"}), "1");
  decide(make_check(rule, "org_42", -3));
  EXPECT_EQ(client_->text({"DBSIZE"}), "0");
}

TEST_F(Script, TakesFromAllRulesOrFromNone) {
  const Rule wide = make_rule("100/hour", 0, "wide");
  const Rule narrow = make_rule("2/hour", 0, "narrow");
  const std::array checks = {make_check(wide, "org_42"), make_check(narrow, "org_42"), make_check(wide, "total")};
  std::array<Decision, 3> decisions;
  EXPECT_TRUE(decide(*client_, checks, decisions));
  EXPECT_TRUE(decide(*client_, checks, decisions));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(decide(*client_, checks, decisions));
    EXPECT_TRUE(decisions[0].allowed);
    EXPECT_FALSE(decisions[1].allowed);
    EXPECT_EQ(decisions[0].remaining, 98U);
    EXPECT_EQ(decisions[2].remaining, 98U);
  }
}

TEST_F(Script, IgnoresValuesThatItDidNotWrite) {
  const Rule rule = make_rule("7/hour");
  const std::string key = "hg:v1:{org_42}:plan:";
  const std::string zeros = "4000000000000000:" + std::string(83, '0');
  for (const std::string garbage :
       {"", "garbage", "nan", "-nan", "inf", "-inf", "-5", "0x10", "1e3", "12:", ":12", "1:2:3", "12:x", "1795238424.5",
        "99999999999999.25", "9999999999999999.25:1", "{}", "1:99999999999999999999", zeros.c_str()}) {
    client_->command({"SET", key, garbage});
    const Decision decision = decide(make_check(rule, "org_42"));
    EXPECT_TRUE(decision.allowed) << garbage;
    EXPECT_LE(decision.remaining, 6U) << garbage;
    EXPECT_GT(std::atoi(client_->text({"PTTL", key}).c_str()), 0) << garbage;
    client_->command({"DEL", key});
  }
}

TEST_F(Script, ReplacesWhatAnotherAlgorithmLeft) {
  const std::string key = "hg:v1:{org_42}:plan:";
  const std::vector<std::vector<std::string>> left = {{"HSET", key, "tokens", "3"},
                                                      {"RPUSH", key, "1795238424123456", "1795238424123457"},
                                                      {"ZADD", key, "1795238424123456", "1"},
                                                      {"SADD", key, "1"},
                                                      {"SET", key, "1795238424:5"}};
  for (const char* algorithm : {"token_bucket", "leaky_bucket"})
    for (const auto& write : left) {
      SCOPED_TRACE(std::string(algorithm) + " after " + write[0]);
      const Rule rule = make_rule("7/hour", 7, "plan", algorithm);
      client_->command({"DEL", key});
      client_->command(write);
      EXPECT_EQ(decide(make_check(rule, "org_42", 0)).remaining, 7U);
      EXPECT_EQ(decide(make_check(rule, "org_42", -1)).remaining, 7U);
      client_->command(write);
      EXPECT_EQ(decide(make_check(rule, "org_42")).remaining, 6U);
      EXPECT_EQ(client_->text({"TYPE", key}), "string");
      EXPECT_EQ(decide(make_check(rule, "org_42")).remaining, 5U);
      EXPECT_GT(std::atoi(client_->text({"PTTL", key}).c_str()), 0);
    }
}

TEST_F(Script, LetsOnlyTakeRejectTheCall) {
  const Rule observe = make_rule("1/hour", 1, "trial");
  const Rule charge = make_rule("3/hour", 3, "charge");
  const Rule take = make_rule("3/hour", 3, "take");
  const std::array checks = {make_check(observe, "org_42", 1, limit::How::observe),
                             make_check(charge, "org_42", 2, limit::How::charge), make_check(take, "org_42")};
  std::array<Decision, 3> decisions;
  EXPECT_TRUE(decide(*client_, checks, decisions));
  EXPECT_TRUE(decisions[0].allowed);
  EXPECT_EQ(decisions[1].remaining, 1U);

  EXPECT_TRUE(decide(*client_, checks, decisions));
  EXPECT_FALSE(decisions[0].allowed) << "a trial tells what it would have done";
  EXPECT_GT(decisions[0].retry_after, std::chrono::minutes(59));
  EXPECT_TRUE(decisions[1].allowed);
  EXPECT_EQ(decisions[1].remaining, 0U) << "a charge takes what there is";
  EXPECT_EQ(decisions[2].remaining, 1U);

  EXPECT_TRUE(decide(*client_, checks, decisions));
  EXPECT_EQ(decisions[2].remaining, 0U);
  EXPECT_LE(decisions[0].reset_after, std::chrono::hours(1))
      << "what does not fit is not taken by a limit that observes";
  EXPECT_LE(decisions[1].reset_after, std::chrono::hours(1)) << "and a charge leaves no debt";

  EXPECT_TRUE(decide(*client_, std::span(checks).subspan(1, 1), decisions));
  decide(make_check(charge, "org_42", -2));
  EXPECT_FALSE(decide(*client_, checks, decisions));
  EXPECT_EQ(decide(make_check(charge, "org_42", 0)).remaining, 2U) << "a rejected call charges nothing";
}

TEST_F(Script, KeepsACounterForAsLongAsItsPermitsAreAhead) {
  const Rule rule = make_rule("60/minute", 2, "plan", "token_bucket", std::chrono::seconds(30));
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(decide(make_check(rule, "org_42")).allowed) << i;
  const Decision rejected = decide(make_check(rule, "org_42"));
  EXPECT_FALSE(rejected.allowed);
  EXPECT_LE(rejected.retry_after, std::chrono::seconds(1));
  const int left = std::atoi(client_->text({"PTTL", "hg:v1:{org_42}:plan:"}).c_str());
  EXPECT_LE(left, 32'002);
  EXPECT_GT(left, 30'000);
}

TEST_F(Script, SpacesThoseInItsQueueByTheClockOfRedis) {
  const Rule rule = make_rule("1/second", 0, "plan", "leaky_bucket", std::chrono::seconds(3));
  EXPECT_EQ(decide(make_check(rule, "org_42")).delay, Duration(0));
  for (int i = 1; i < 4; ++i) {
    const Decision decision = decide(make_check(rule, "org_42"));
    EXPECT_TRUE(decision.allowed);
    EXPECT_LE(decision.delay, std::chrono::seconds(i));
    EXPECT_GT(decision.delay, std::chrono::seconds(i) - std::chrono::milliseconds(500));
  }
  EXPECT_FALSE(decide(make_check(rule, "org_42")).allowed);
}

TEST_F(Script, ReducesATimeFarAheadAndWritesItBackEvenIfItRejects) {
  const Rule rule = make_rule("60/minute");
  const std::string key = "hg:v1:{org_42}:plan:";
  for (const char* ahead : {"4000000000000000", "4000000000000000:59", "4000000000000000:0000000060000000000000060"}) {
    client_->command({"SET", key, ahead});
    const Decision decision = decide(make_check(rule, "org_42"));
    EXPECT_FALSE(decision.allowed) << ahead;
    EXPECT_EQ(decision.retry_after, std::chrono::seconds(1)) << ahead;
    EXPECT_EQ(decision.reset_after, std::chrono::minutes(1)) << ahead;
    const int left = std::atoi(client_->text({"PTTL", key}).c_str());
    EXPECT_LE(left, 60'002) << ahead;
    EXPECT_GT(left, 59'000) << ahead;
  }
}

TEST_F(Script, GoesOnWithACounterWhoseRateHasChanged) {
  const Rule before = make_rule("7/hour", 70);
  const Rule after = make_rule("3/hour", 70);  // the same limit and therefore the same key, edited and reloaded
  decide(make_check(before, "org_42", 1));     // 514 2/7 s ahead
  const Decision decision = decide(make_check(after, "org_42", 1));
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.remaining, 68U);
}

// Values that older versions wrote, without the rate and without debts.
TEST_F(Script, GoesOnWithAMomentOfAnOlderVersion) {
  const Rule rule = make_rule("60/minute");
  const std::string key = "hg:v1:{org_42}:plan:";
  const auto ahead = [&](int seconds) {
    return std::to_string((now() + std::chrono::seconds(seconds)).time_since_epoch().count());
  };
  client_->command({"SET", key, ahead(30)});
  EXPECT_EQ(decide(make_check(rule, "org_42", 0)).remaining, 30U);
  client_->command({"SET", key, ahead(20) + ":59"});
  EXPECT_EQ(decide(make_check(rule, "org_42")).remaining, 39U);
  EXPECT_EQ(decide(make_check(rule, "org_42")).remaining, 38U);
}

// Two versions share a Redis while gateways are replaced. An older version reads "<whole>:<part>". It ignores a part
// that is too large, assumes that a clock was ahead if the end of a window is too late, and assumes that a time below 0
// is over.
TEST_F(Script, WritesWhatAnOlderVersionReadsAsUsed) {
  const auto value = [&](const Rule& rule, std::int64_t cost, limit::How how) {
    client_->command({"FLUSHALL"});
    decide(make_check(rule, "org_42", cost, how));
    return client_->text({"GET", "hg:v1:{org_42}:plan:"});
  };
  const auto parted = [](const std::string& text, char mark) {
    const auto at = text.find(mark);
    return std::pair{text.substr(0, at), at == std::string::npos ? std::string() : text.substr(at + 1)};
  };
  for (const auto how : {limit::How::take, limit::How::debt}) {
    const auto [whole, part] = parted(value(make_rule("7/second", 7), 5, how), ':');
    EXPECT_EQ(whole.size(), 16U);
    EXPECT_EQ(part.find_first_not_of("0123456789"), std::string::npos);
    EXPECT_GT(std::stod(part), 1e9) << "no part";
  }
  const auto [used, end] = parted(value(make_rule("7/day", 0, "plan", "fixed_window"), 20, limit::How::debt), '@');
  EXPECT_EQ(used, "7");
  EXPECT_EQ(end.find_first_not_of("0123456789"), std::string::npos);
  EXPECT_EQ(end.substr(16), "13");
  client_->command({"FLUSHALL"});
  decide(make_check(make_rule("7/day", 0, "plan", "sliding_log"), "org_42", 20, limit::How::debt));
  EXPECT_EQ(client_->text({"LINDEX", "hg:v1:{org_42}:plan:", "0"}), "-13");
  EXPECT_EQ(client_->text({"LLEN", "hg:v1:{org_42}:plan:"}), "8");
}

TEST_F(Script, NeverAdmitsOneTooManyFromSeveralConnectionsAtOnce) {
  const Rule rule = make_rule("1/day", 500);
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      RedisClient client(server_->port());
      for (int i = 0; i < 300; ++i) {
        const Check check = make_check(rule, "org_42");
        Decision decision;
        if (decide(client, {&check, 1}, {&decision, 1})) ++admitted;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(admitted, 500);
}

TEST_F(Script, KeepsKeysOfAnyBytesApart) {
  const Rule rule = make_rule("5/hour");
  const std::vector<std::string> keys = {
      "",       "%",        "}", "{}", "%7D", "a}b",    "a%7Db", std::string("a\0b", 3),
      "a\r\nb", "\xff\xfe", " ", "a",  "*",   "}:plan:"};
  for (const std::string& key : keys)
    EXPECT_EQ(decide(make_check(rule, key)).remaining, 4U) << testing::PrintToString(key);
  EXPECT_EQ(client_->text({"DBSIZE"}), std::to_string(keys.size()));
}

TEST_F(Script, KeepsAllCountersOfOneKeyInOneSlotOfACluster) {
  RedisServer cluster;
  ASSERT_TRUE(cluster.start({"--cluster-enabled", "yes"})) << cluster.error();
  RedisClient node(cluster.port());
  const std::array rules = {make_rule("5/hour", 0, "one"), make_rule("5/hour", 0, "two"),
                            make_rule("5/hour", 0, "three")};
  for (const std::string key : {"org_42", "", "}", "}}", "a}b", "{", "%"}) {
    std::vector<Check> checks;
    for (const Rule& rule : rules) checks.push_back(make_check(rule, key));
    std::vector<std::string> arguments;
    limit::script_arguments(checks, "hg:", kStart, arguments);
    const std::string slot = node.text({"CLUSTER", "KEYSLOT", arguments[1]});
    EXPECT_EQ(node.text({"CLUSTER", "KEYSLOT", arguments[2]}), slot) << key;
    EXPECT_EQ(node.text({"CLUSTER", "KEYSLOT", arguments[3]}), slot) << key;
  }
}

TEST_F(Script, DecidesAsManyRulesAsARequestMayHave) {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < limit::kMaxRulesPerRequest; ++i)
    rules.push_back(make_rule("5/hour", 0, std::string("l").append(std::to_string(i))));
  std::vector<Check> checks;
  for (const Rule& rule : rules) checks.push_back(make_check(rule, "org_42"));
  std::vector<Decision> decisions(checks.size());
  EXPECT_TRUE(decide(*client_, checks, decisions));
  EXPECT_TRUE(std::ranges::all_of(decisions, [](const Decision& decision) { return decision.remaining == 4; }));
}

}  // namespace
}  // namespace headgate::test
