// All keys of a limit are forgotten: on one server, behind Sentinels, and in a cluster.
#include "cluster_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_sentinel.hpp"

#include <algorithm>
#include <set>

namespace headgate::redis {
namespace {

constexpr auto kAtOnce = 30s;

/// One part, or with `patience` 0 one step.
Task<void> forget_once(SharedLimiter& limiter, std::string name, std::string from, Duration patience,
                       std::optional<Result<ForgetResult>>& out) {
  auto walk = limiter.forget(std::move(name), std::move(from), patience);
  out = co_await walk;
}

template <class Test>
Result<ForgetResult> forget(Test& test, SharedLimiter& limiter, const std::string& name, const std::string& from = "",
                            Duration patience = kAtOnce) {
  std::optional<Result<ForgetResult>> out;
  spawn(forget_once(limiter, name, from, patience, out), "test");
  EXPECT_TRUE(test.run_until([&] { return out.has_value(); }, 20s)) << "it never ended";
  return out.value_or(Result<ForgetResult>(boost::system::in_place_error, Errc::stopped));
}

class ForgottenLimit : public RedisLimiter {
 public:
  using LoopTest::run_until;

 protected:
  /// Names of `count` keys that begin and end so.
  void set_many(const std::string& begin, const std::string& end, int count) {
    command({"EVAL", "for i = 1, ARGV[3] do redis.call('SET', ARGV[1] .. i .. ARGV[2], 'x') end", "0", begin, end,
             std::to_string(count)});
  }
  bool there(const std::string& key) { return command({"EXISTS", key}).starts_with(":1"); }
};

TEST_F(ForgottenLimit, LosesTheCountersOfAllItsSizesAndNoOthers) {
  start();
  options.key_prefix = "h[g]*?\\:";
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const auto& prefix = options.key_prefix;
  const std::set<std::string> its = {prefix + "v1:{203.0.113.9}:x",
                                     prefix + "v1:{203.0.113.9}:x:1m",
                                     prefix + "v1:{a%7Db|}:x:1h:Europe/Berlin:fixed_window:v2",
                                     prefix + "v1:{*}:x:sliding_log:ban",
                                     prefix + "v1:{%}:x:",
                                     prefix + "v1:{a#3}:x"};
  const std::set<std::string> others = {prefix + "v1:{203.0.113.9}:xy",
                                        prefix + "v1:{203.0.113.9}:y:x",
                                        prefix + "v1:{203.0.113.9}:x@search",
                                        prefix + "v1:{:x",
                                        prefix + "v1:notice:{:x}",
                                        "hg:v1:{203.0.113.9}:x",
                                        prefix + "v1:{}",
                                        prefix + "v1:{limits}",
                                        "x" + prefix + "v1:{203.0.113.9}:x"};
  for (const auto* all : {&its, &others})
    for (const auto& key : *all) command({"SET", key, "1"});
  const auto told = forget(*this, limiter, "x");
  ASSERT_TRUE(told.has_value()) << told.error().message();
  EXPECT_EQ(told->keys, its.size());
  EXPECT_GE(told->looked_at, its.size() + others.size());
  EXPECT_TRUE(told->more.empty());
  EXPECT_TRUE(told->not_done.empty());
  for (const auto& key : its) EXPECT_FALSE(there(key)) << key;
  for (const auto& key : others) EXPECT_TRUE(there(key)) << key;
  limiter.stop();
}

TEST_F(ForgottenLimit, LeavesEverythingElseThatHasANameOfTheSameForm) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const std::string digest = "00112233445566778899aabbccddeeff";
  // Permits in flight of upstreams, billed use, the gateways of a log, waiting rooms, fingerprints.
  command({"ZADD", "hg:v1:{app}:upstream:app:in_flight", "9", "a"});
  command({"ZADD", "hg:v1:{1m}:upstream:1m:in_flight", "9", "a"});
  command({"ZADD", "hg:v1:{203.0.113.9}:upstream:in_flight", "9", "a"});
  command({"HSET", "hg:v1:{usage:2026-11-22:07}:10", "a", "1 1"});
  command({"HSET", "hg:v1:{bans}:gateways", "a", "1"});
  command({"HSET", "hg:v1:{overrides}:gateways", "a", "1"});
  command({"SET", "hg:v1:{room:sale}", "1"});
  command({"SET", "hg:v1:{room:sale}:alice", "7 8"});
  command({"SET", "hg:v1:{limits}:" + digest, "x 1"});
  command({"SET", "hg:v1:{bans}:x", "of a caller of this name"});
  command({"SET", "hg:v1:{room:5}:alice", "of a caller of this name"});
  command({"RPUSH", "hg:v1:{usage:2026-11-22:07}:10:1m:sliding_log", "9"});
  command({"SET", "hg:v1:{usage:2026-11-23:07}:10", "of a caller of this name"});
  for (const auto* name : {"upstream", "gateways"}) EXPECT_EQ(forget(*this, limiter, name)->keys, 0U) << name;
  EXPECT_EQ(forget(*this, limiter, digest)->keys, 0U);
  EXPECT_EQ(forget(*this, limiter, "10")->keys, 2U);
  EXPECT_EQ(forget(*this, limiter, "alice")->keys, 1U);
  EXPECT_EQ(forget(*this, limiter, "x")->keys, 1U);
  for (const auto* key :
       {"hg:v1:{app}:upstream:app:in_flight", "hg:v1:{1m}:upstream:1m:in_flight",
        "hg:v1:{203.0.113.9}:upstream:in_flight", "hg:v1:{usage:2026-11-22:07}:10", "hg:v1:{bans}:gateways",
        "hg:v1:{overrides}:gateways", "hg:v1:{room:sale}", "hg:v1:{room:sale}:alice"})
    EXPECT_TRUE(there(key)) << key;
  EXPECT_TRUE(there("hg:v1:{limits}:" + digest));
  limiter.stop();
}

TEST_F(ForgottenLimit, KeepsWhatProtectsFromDoingAThingTwice) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const std::string begin = "hg:v1:{a}:x:1h:sliding_window:v2";
  for (const auto* end : {"", ":ban", ":appointment:17", ":appointments of 192.0.2.7", ":appointments of 2001:db8::7",
                          ":charged:ban", ":charged:v2"})
    command({"SET", begin + end, "1"});
  EXPECT_EQ(forget(*this, limiter, "x")->keys, 2U) << "what was used, and the offences";
  EXPECT_FALSE(there(begin));
  EXPECT_TRUE(there(begin + ":appointment:17")) << "used: it does not pass again";
  EXPECT_TRUE(there(begin + ":appointments of 192.0.2.7"));
  EXPECT_TRUE(there(begin + ":appointments of 2001:db8::7"));
  EXPECT_TRUE(there(begin + ":charged:v2")) << "a charge that is sent again counts once";
  limiter.stop();
}

TEST_F(ForgottenLimit, WaitsForARedisThatPauses) {
  start();
  options.timeout = 20ms;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  set_many("hg:v1:{", "}:test:", 20000);
  std::optional<Result<ForgetResult>> out;
  spawn(forget_once(limiter, "test", "", kAtOnce, out), "test");
  run_for(5ms);
  ASSERT_FALSE(out.has_value()) << "too late to pause";
  command({"CLIENT", "PAUSE", "400"});
  ASSERT_TRUE(run_until([&] { return out.has_value(); }, 20s));
  ASSERT_TRUE(out->has_value()) << out->error().message();
  EXPECT_TRUE((*out)->not_done.empty()) << (*out)->not_done[0].why;
  EXPECT_TRUE((*out)->more.empty());
  EXPECT_TRUE(run_until([&] { return command({"DBSIZE"}) == ":0"; })) << "the key of a probe goes by itself";
  EXPECT_GT(limiter.counters().timed_out, 0U) << "it did pause";
  limiter.stop();
}

TEST_F(ForgottenLimit, BeginsAnewIfItsConnectionBroke) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  set_many("session:", "", 100'000);
  std::optional<Result<ForgetResult>> out;
  spawn(forget_once(limiter, "test", "", kAtOnce, out), "test");
  run_for(20ms);
  ASSERT_FALSE(out.has_value()) << "too late to break it";
  command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  ASSERT_TRUE(run_until([&] { return out.has_value(); }, 20s));
  ASSERT_TRUE(out->has_value()) << out->error().message();
  EXPECT_TRUE((*out)->not_done.empty()) << (*out)->not_done[0].why;
  EXPECT_GT((*out)->looked_at, 100'000U) << "a Redis that was started again has other cursors";
  limiter.stop();
}

TEST_F(ForgottenLimit, NamesARedisThatDoesNotComeBack) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  redis.stop();
  const auto told = forget(*this, limiter, "test");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->not_done.size(), 1U);
  EXPECT_EQ(told->looked_at, 0U);
  limiter.stop();
}

TEST_F(ForgottenLimit, ComesBackToWhereAWalkStopped) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  set_many("hg:v1:{", "}:test:", 2000);
  set_many("session:", "", 3000);
  std::string from;
  std::uint64_t keys = 0;
  int parts = 0;
  do {
    const auto told = forget(*this, limiter, "test", from, 0s);
    ASSERT_TRUE(told.has_value()) << told.error().message();
    EXPECT_LE(told->keys, 400U) << "a step is small";
    EXPECT_TRUE(told->not_done.empty());
    keys += told->keys;
    from = told->more;
    ++parts;
  } while (!from.empty() && parts < 1000);
  EXPECT_EQ(keys, 2000U);
  EXPECT_GT(parts, 20);
  EXPECT_TRUE(there("session:3000"));
  limiter.stop();
}

TEST_F(ForgottenLimit, CountsAnewForItsCallers) {
  start();
  SharedLimiter limiter(loop, options);
  SharedLimiter another(loop, options);
  ASSERT_TRUE(decide(limiter, 10).allowed());
  ASSERT_TRUE(decide(another, 1).rejected());
  EXPECT_EQ(forget(*this, limiter, "test")->keys, 1U);
  EXPECT_TRUE(decide_until(
      another, [](const Answer& answer) { return answer.allowed(); }, 2s))
      << "what it was told of a rejection lasts for a second at most";
  limiter.stop();
  another.stop();
}

TEST_F(ForgottenLimit, TakesNoOtherTextToGoOnFrom) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  for (const auto* from : {"0", "0-", "0-x-a", "-1-0-a", "99999-0-a", "0-123456789012345678901-a", "0 -0-a"})
    EXPECT_EQ(forget(*this, limiter, "test", from).error(), Errc::bad_reply) << from;
  limiter.stop();
}

TEST_F(ForgottenLimit, SaysWhatRedisAnsweredInstead) {
  start();
  command({"ACL", "SETUSER", "default", "-scan"});
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const auto told = forget(*this, limiter, "test");
  ASSERT_TRUE(told.has_value());
  ASSERT_EQ(told->not_done.size(), 1U);
  EXPECT_EQ(told->not_done[0].server, "127.0.0.1:" + std::to_string(redis.port()));
  EXPECT_TRUE(told->not_done[0].why.starts_with("it answered ")) << told->not_done[0].why;
  EXPECT_TRUE(decide(limiter).allowed()) << "the limits go on";
  command({"ACL", "SETUSER", "default", "+scan", "-unlink"});
  const auto second = forget(*this, limiter, "test");
  ASSERT_EQ(second->not_done.size(), 1U) << second->keys;
  EXPECT_TRUE(second->not_done[0].why.starts_with("it answered ")) << second->not_done[0].why;
  limiter.stop();
}

class ForgottenBehindSentinels : public LoopTest {
 public:
  using LoopTest::run_until;

 protected:
  void SetUp() override {
    if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
    options.topology = Topology::sentinel;
    options.master = "shop";
    options.nodes.clear();
    for (const auto& sentinel : redis.sentinels) options.nodes.push_back({"127.0.0.1", sentinel.port()});
    options.timeout = 200ms;
  }
  test::RedisSentinel redis;
  RedisOptions options;
};

TEST_F(ForgottenBehindSentinels, BeginsAnewOnTheServerThatTookOver) {
  SharedLimiter limiter(loop, options);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(decide(limiter, 1, "caller-" + std::to_string(i)).allowed());
  const auto first = forget(*this, limiter, "test", "", 0s);
  ASSERT_TRUE(first.has_value()) << first.error().message();
  ASSERT_FALSE(first->more.empty());
  ASSERT_EQ(test::redis_cli(redis.servers[0].port(), "WAIT 2 2000"), "2");
  redis.servers[0].kill9();
  ASSERT_TRUE(decide_until(
      limiter, [](const Answer& answer) { return answer.allowed(); }, 15s))
      << log.str();
  const auto rest = forget(*this, limiter, "test", first->more);
  ASSERT_TRUE(rest.has_value()) << rest.error().message();
  EXPECT_TRUE(rest->not_done.empty());
  EXPECT_TRUE(rest->more.empty());
  EXPECT_EQ(rest->keys, 301 - first->keys) << "and one more key since";
  limiter.stop();
}

class ForgottenInCluster : public ClusterFixture {
 public:
  using LoopTest::run_until;

 protected:
  void SetUp() override { start(0); }
};

TEST_F(ForgottenInCluster, IsDoneOnEachMasterAndNamesTheOneThatIsDown) {
  SharedLimiter limiter(loop, options);
  const auto fill = [&] {
    for (int i = 0; i < 60; ++i) decide(limiter, 1, "caller-" + std::to_string(i));
  };
  fill();
  ASSERT_TRUE(run_until([&] { return limiter.health() == RedisHealth::up; }));
  const auto all = forget(*this, limiter, "test");
  ASSERT_TRUE(all.has_value()) << all.error().message();
  EXPECT_EQ(all->keys, 60U);
  EXPECT_TRUE(all->not_done.empty()) << all->not_done[0].server << ": " << all->not_done[0].why;
  for (auto& node : cluster.nodes)  // the key of a probe goes by itself
    EXPECT_TRUE(run_until([&] { return test::redis_cli(node.port(), "DBSIZE") == "0"; }));

  fill();
  const auto down = "127.0.0.1:" + std::to_string(cluster.nodes[1].port());
  const auto lost = std::stoul(test::redis_cli(cluster.nodes[1].port(), "DBSIZE"));
  ASSERT_GT(lost, 0U);
  for (auto& node : cluster.nodes) test::redis_cli(node.port(), "CONFIG SET cluster-require-full-coverage no");
  cluster.nodes[1].kill9();
  const auto some = forget(*this, limiter, "test");
  ASSERT_TRUE(some.has_value()) << some.error().message();
  EXPECT_EQ(some->keys, 60 - lost);
  ASSERT_EQ(some->not_done.size(), 1U);
  EXPECT_EQ(some->not_done[0].server, down);
  limiter.stop();
}

TEST_F(ForgottenInCluster, GoesOnInStepsFromMasterToMaster) {
  SharedLimiter limiter(loop, options);
  for (int i = 0; i < 900; ++i) ASSERT_TRUE(decide(limiter, 1, "caller-" + std::to_string(i)).allowed());
  std::string from;
  std::uint64_t keys = 0;
  std::set<std::string> servers;
  int parts = 0;
  do {
    const auto told = forget(*this, limiter, "test", from, 0s);
    ASSERT_TRUE(told.has_value()) << told.error().message();
    keys += told->keys;
    from = told->more;
    if (!from.empty()) servers.insert(from.substr(from.rfind('-')));
  } while (!from.empty() && ++parts < 100);
  EXPECT_EQ(keys, 900U);
  EXPECT_EQ(servers.size(), 3U);
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
