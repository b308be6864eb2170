// The limiter in a cluster: who is asked, what is followed, and what is given back.
#include "cluster_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace headgate::redis {
namespace {

class ClusterTest : public ClusterFixture {
 protected:
  void SetUp() override { start(0); }

  /// Tokens that a rule's counter of this key holds in Redis.
  std::uint64_t left(const std::shared_ptr<Servers>& servers, const limit::Rule& of, std::string_view key) {
    const Asked peek = check(servers, {check_of(of, key, 0)});
    EXPECT_TRUE(peek.result->has_value());
    return peek.decisions[0].remaining;
  }
};

TEST_F(ClusterTest, AsksTheMasterThatOwnsTheSlot) {
  const auto servers = Servers::make(loop, options);
  const Asked first = check(servers, {check_of(rule, "caller")});
  EXPECT_TRUE(first.allowed()) << "calls wait for the first map\n" << log.str();
  ASSERT_TRUE(run_until_up(servers));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(check(servers, {check_of(rule, "caller-" + std::to_string(i))}).allowed());
  ASSERT_EQ(servers->nodes().size(), 3u);
  for (const auto& node : servers->nodes()) {
    EXPECT_GT(node.counters.decided, 10u) << node.name;
    EXPECT_EQ(node.counters.refused, 0u) << "no call was sent to another node first";
    EXPECT_EQ(node.counters.connects, 1u);
    std::uint64_t in_buckets = 0;
    for (const auto count : node.latency) in_buckets += count;
    EXPECT_EQ(in_buckets, node.counters.decided);
    EXPECT_GT(node.latency_sum, 0us);
  }
  EXPECT_EQ(servers->counters().decided, 101u);
  servers->stop();
  EXPECT_EQ(check(servers, {check_of(rule, "caller")}).error(), Errc::stopped);
  keeps_running.reset();
  loop.run_for(2s);
  EXPECT_TRUE(loop.stopped()) << "handlers are left";
}

TEST_F(ClusterTest, FollowsASlotThatWasMovedAndLearnsIt) {
  const auto servers = Servers::make(loop, options);
  const std::string key = "caller";
  const auto number = slot(key);
  ASSERT_TRUE(check(servers, {check_of(rule, key, 4)}).allowed());
  ASSERT_TRUE(run_until_up(servers));
  auto& from = *cluster.owner(number);
  auto& to = other_than(from);
  begin_move(number, from, to);
  move_keys(number, from, to);
  end_move(number, from, to);
  const Asked moved = check(servers, {check_of(rule, key)});
  EXPECT_TRUE(moved.allowed()) << moved.error().message();
  EXPECT_EQ(moved.decisions[0].remaining, 5u) << "what was used went with the slot";
  const auto refused = servers->counters().refused;
  EXPECT_EQ(refused, 1u) << "MOVED";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(check(servers, {check_of(rule, key)}).allowed());
  run_for(300ms);
  EXPECT_TRUE(check(servers, {check_of(rule, key)}).allowed());
  EXPECT_EQ(servers->counters().refused, refused) << "it was learnt";
  EXPECT_EQ(servers->health(), RedisHealth::up);
  servers->stop();
}

TEST_F(ClusterTest, AsksWhereAKeyHasGoneWhileItsSlotIsBeingMoved) {
  const auto servers = Servers::make(loop, options);
  const std::string key = "caller";
  const auto number = slot(key);
  ASSERT_TRUE(check(servers, {check_of(rule, key, 4)}).allowed());
  auto& from = *cluster.owner(number);
  auto& to = other_than(from);
  begin_move(number, from, to);
  EXPECT_EQ(check(servers, {check_of(rule, key)}).decisions[0].remaining, 5u) << "it is still here";
  EXPECT_EQ(servers->counters().refused, 0u);
  move_keys(number, from, to);
  for (std::uint64_t remaining = 5; remaining-- > 2;) {
    const Asked there = check(servers, {check_of(rule, key)});
    EXPECT_TRUE(there.allowed()) << there.error().message();
    EXPECT_EQ(there.decisions[0].remaining, remaining);
  }
  EXPECT_EQ(servers->counters().refused, 3u) << "an ASK each: the slot's owner is still the old one";
  end_move(number, from, to);
  EXPECT_TRUE(check(servers, {check_of(rule, key)}).allowed());
  servers->stop();
}

TEST_F(ClusterTest, GivesUpOnKeysThatAreHalfMovedWithinTheDeadlineAndOnlyOnThose) {
  const auto servers = Servers::make(loop, options);
  const auto second = rule_of(10, 1h, "second");
  const std::string key = "caller";
  const auto number = slot(key);
  ASSERT_TRUE(check(servers, {check_of(rule, key)}).allowed());
  auto& from = *cluster.owner(number);
  auto& to = other_than(from);
  begin_move(number, from, to);
  const Asked half = check(servers, {check_of(rule, key), check_of(second, key)});
  EXPECT_EQ(half.error(), Errc::unavailable) << "one key is here and the other, new one belongs there";
  EXPECT_LT(half.took, options.timeout);
  EXPECT_GE(servers->counters().refused, 2u) << "TRYAGAIN, tried again";
  EXPECT_TRUE(check(servers, {check_of(rule, key)}).allowed()) << "nor does it open a breaker";
  move_keys(number, from, to);
  end_move(number, from, to);
  EXPECT_TRUE(check(servers, {check_of(rule, key), check_of(second, key)}).allowed());
  servers->stop();
}

TEST_F(ClusterTest, DecidesOverSeveralSlotsAndGivesBackWhatOneRejected) {
  const auto servers = Servers::make(loop, options);
  const auto wide = rule_of(1000, 24h, "wide");
  const auto narrow = rule_of(3, 24h, "narrow");
  const std::string here = key_in(100);
  const std::string there = key_in(16000);
  for (int i = 0; i < 3; ++i) {
    const Asked both = check(servers, {check_of(wide, here), check_of(narrow, there)});
    EXPECT_TRUE(both.allowed()) << both.error().message();
    EXPECT_EQ(both.decisions[1].remaining, static_cast<std::uint64_t>(2 - i));
  }
  const auto asked = servers->counters().sent;
  const Asked rejected = check(servers, {check_of(wide, here), check_of(narrow, there)});
  EXPECT_TRUE(rejected.rejected());
  EXPECT_FALSE(rejected.decisions[1].allowed);
  EXPECT_EQ(servers->counters().sent - asked, 1u) << "the smaller burst first: nothing was taken from the other";

  const Asked other_way = check(servers, {check_of(narrow, here, 1), check_of(wide, there, 2000)});
  EXPECT_TRUE(other_way.rejected());
  EXPECT_TRUE(other_way.decisions[0].allowed);
  EXPECT_EQ(other_way.decisions[0].remaining, 3u) << "as if it had not been asked";
  EXPECT_EQ(other_way.decisions[1].retry_after, limit::kNever);
  ASSERT_TRUE(run_until([&] { return servers->give_backs().done == 1; }));
  EXPECT_EQ(left(servers, narrow, here), 3u);
  EXPECT_EQ(left(servers, wide, here), 997u);
  servers->stop();
}

TEST_F(ClusterTest, KeepsTheBooksOfManyMixedDecisions) {
  const auto servers = Servers::make(loop, options);
  ASSERT_TRUE(run_until_up(servers));
  const std::vector<limit::Rule> rules{rule_of(40, 24h, "a"), rule_of(60, 24h, "b"), rule_of(90, 24h, "c")};
  const std::vector<std::string> keys{key_in(1), key_in(8000), key_in(16000), key_in(12)};
  // The largest burst is spent first, so that rejections also come last, when there is something to give back.
  const auto cost = [](std::size_t r) -> std::int64_t { return r == 2 ? 5 : 1; };
  std::mt19937 random(7);
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> taken;
  int rejections = 0;
  for (int round = 0; round < 40; ++round) {
    std::list<Asked> answers;
    std::list<std::set<std::pair<std::size_t, std::size_t>>> which;
    for (int i = 0; i < 10; ++i) {
      auto& pairs = which.emplace_back();
      for (int n = 0; n < 3; ++n) pairs.insert({random() % rules.size(), random() % keys.size()});
      std::vector<limit::Check> checks;
      for (const auto& [r, s] : pairs) checks.push_back(check_of(rules[r], keys[s], cost(r)));
      spawn(ask_all(servers, std::move(checks), answers.emplace_back()), "test");
    }
    ASSERT_TRUE(
        run_until([&] { return std::all_of(answers.begin(), answers.end(), [](const auto& a) { return a.done; }); }));
    auto asked = which.begin();
    for (const auto& answer : answers) {
      ASSERT_TRUE(answer.result->has_value()) << answer.error().message();
      if (answer.allowed())
        for (const auto& key : *asked) taken[key] += static_cast<std::uint64_t>(cost(key.first));
      else
        ++rejections;
      ++asked;
    }
  }
  run_for(300ms);  // what is given back is given back in the background
  EXPECT_GT(rejections, 50);
  EXPECT_GT(servers->give_backs().done, 10u);
  EXPECT_EQ(servers->give_backs().failed, 0u);
  for (std::size_t r = 0; r < rules.size(); ++r)
    for (std::size_t s = 0; s < keys.size(); ++s)
      EXPECT_EQ(left(servers, rules[r], keys[s]), rules[r].burst - taken[std::pair(r, s)])
          << rules[r].limit << " of " << keys[s];
  servers->stop();
}

TEST_F(ClusterTest, IsReadByOtherThreadsWhileNodesComeAndGo) {
  const auto servers = Servers::make(loop, options);
  std::atomic<bool> over = false;
  std::uint64_t seen = 0;
  {
    std::jthread reader([&] {
      while (!over) {
        for (const auto& node : servers->nodes()) seen = std::max(seen, node.counters.decided);
        if (servers->health() == RedisHealth::up) seen = std::max(seen, servers->counters().decided);
        std::this_thread::sleep_for(100us);
      }
    });
    for (int i = 0; i < 300; ++i)
      EXPECT_TRUE(check(servers, {check_of(rule, "caller-" + std::to_string(i))}).allowed());
    run_for(100ms);
    over = true;
  }
  EXPECT_GT(seen, 0u);
  EXPECT_LE(seen, 300u);
  servers->stop();
}

TEST_F(ClusterTest, ProbesEachNodeInItsOwnSlotAndFindsAFullNodeAgainWithoutRequests) {
  const auto servers = Servers::make(loop, options);
  ASSERT_TRUE(run_until_up(servers)) << log.str();
  const auto port = cluster.owner(8000)->port();
  ASSERT_EQ(test::redis_cli(port, "CONFIG SET maxmemory-policy noeviction"), "OK");
  ASSERT_EQ(test::redis_cli(port, "CONFIG SET maxmemory 1"), "OK");
  EXPECT_EQ(check(servers, {check_of(rule, key_in(8000))}).error(), Errc::refused_by_server);
  run_for(500ms);
  EXPECT_NE(servers->health(), RedisHealth::up);
  EXPECT_TRUE(check(servers, {check_of(rule, key_in(100))}).allowed()) << "the others are well";
  ASSERT_EQ(test::redis_cli(port, "CONFIG SET maxmemory 0"), "OK");
  ASSERT_TRUE(run_until_up(servers)) << log.str();
  EXPECT_TRUE(check(servers, {check_of(rule, key_in(8000))}).allowed());
  for (const auto& node : cluster.nodes)
    EXPECT_EQ(test::redis_cli(node.port(), "INFO errorstats").find("MOVED"), std::string::npos);
  servers->stop();
}

TEST_F(ClusterTest, FailsAtOnceIfNoSeedAnswers) {
  for (auto& node : cluster.nodes) node.kill9();
  const auto servers = Servers::make(loop, options);
  const Asked asked = check(servers, {check_of(rule, "caller")});
  EXPECT_EQ(asked.error(), Errc::unavailable);
  EXPECT_EQ(check(servers, {check_of(rule, "caller")}).error(), Errc::unavailable);
  EXPECT_EQ(servers->health(), RedisHealth::down);
  ASSERT_TRUE(cluster.nodes[1].restart());
  ASSERT_TRUE(cluster.nodes[2].restart());
  ASSERT_TRUE(cluster.nodes[0].restart());
  EXPECT_TRUE(run_until([&] { return check(servers, {check_of(rule, "caller")}).allowed(); }, 15s)) << log.str();
  servers->stop();
}

TEST_F(ClusterTest, ExplainsTheMistakeIfANodeIsConfiguredAsASingleServer) {
  options.topology = Topology::single;
  options.database = 0;
  const auto servers = Servers::make(loop, options);
  const std::string elsewhere = key_in(16000);
  EXPECT_EQ(check(servers, {check_of(rule, elsewhere)}).error(), Errc::refused_by_server);
  EXPECT_EQ(logged("it answered MOVED 16000"), 1) << log.str();
  servers->stop();
}

TEST_F(ClusterTest, PeeksAtSeveralSlotsWithoutTakingOrGivingBack) {
  const auto servers = Servers::make(loop, options);
  const limit::Rule narrow = rule_of(2, 1h, "narrow");
  const limit::Rule wide = rule_of(100, 1h, "wide");
  ASSERT_TRUE(check(servers, {check_of(wide, "platform", 5)}).allowed());
  ASSERT_TRUE(run_until_up(servers));
  for (const std::int64_t cost : {1, 3}) {
    std::vector<limit::Check> call{check_of(wide, "platform"), check_of(narrow, "somebody", cost)};
    auto peek = call;
    for (auto& each : peek) each.peek = true;
    const Asked peeked = check(servers, peek);
    const Asked again = check(servers, peek);
    const Asked decided = check(servers, call);
    EXPECT_EQ(peeked.allowed(), cost == 1);
    for (const auto* answer : {&peeked, &again}) {
      EXPECT_EQ(answer->allowed(), decided.allowed());
      for (std::size_t i = 0; i < call.size(); ++i) {
        EXPECT_EQ(answer->decisions[i].allowed, decided.decisions[i].allowed);
        EXPECT_EQ(answer->decisions[i].remaining, decided.decisions[i].remaining);
      }
    }
    EXPECT_EQ(left(servers, wide, "platform"), 94U);
    EXPECT_EQ(left(servers, narrow, "somebody"), 1U);
  }
  EXPECT_EQ(servers->give_backs().done, 0U);
  servers->stop();
}

}  // namespace
}  // namespace headgate::redis
