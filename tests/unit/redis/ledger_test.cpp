// The ledger of billed use in Redis.
#include "../../../src/redis/servers/slot_map.hpp"
#include "fake_server.hpp"
#include "ledger_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_sentinel.hpp"

#include <gmock/gmock.h>

#include <random>

namespace headgate::redis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class LedgerTest : public WithLedgers<RedisLimiter> {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (!IsSkipped()) start();
  }
  std::string cli(const std::string& words) const { return test::redis_cli(redis.port(), words); }
  /// Fields of one lane.
  static std::vector<std::string> fields_of_lane(unsigned lane, std::size_t count) {
    std::vector<std::string> out;
    for (int i = 0; out.size() < count; ++i) {
      auto field = "plan key-" + std::to_string(i);
      if (limit::lane_of(limit::bucket_of(field)) == lane) out.push_back(std::move(field));
    }
    return out;
  }
};

TEST_F(LedgerTest, SumsWhatGatewaysAdd) {
  RedisLedger one(loop, options, "one");
  RedisLedger other(loop, options, "other");
  ASSERT_TRUE(add(one, batch_of(1, {{"plan acme", {5, 2}}})).has_value()) << log.str();
  ASSERT_TRUE(add(other, batch_of(1, {{"plan acme", {7, 1}}})).has_value());
  ASSERT_TRUE(add(one, batch_of(2, {{"plan acme", {1, 1}}})).has_value());
  EXPECT_THAT(all_of(other), ElementsAre(Pair("plan acme", Use{13, 4})));
  one.stop();
  other.stop();
  expect_empty_loop();
}

TEST_F(LedgerTest, CountsABatchOnceHoweverOftenItIsSent) {
  RedisLedger one(loop, options, "one");
  RedisLedger other(loop, options, "other");
  const auto batch = batch_of(1, {{"plan acme", {5, 1}}});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(add(one, batch).has_value());
  EXPECT_THAT(all_of(one), ElementsAre(Pair("plan acme", Use{5, 1})));
  ASSERT_TRUE(add(other, batch).has_value()) << "the same number of another gateway";
  ASSERT_TRUE(add(one, batch_of(2, batch.uses)).has_value());
  ASSERT_TRUE(add(one, batch).has_value()) << "an old one, late";
  EXPECT_THAT(all_of(one), ElementsAre(Pair("plan acme", Use{15, 3})));
  one.stop();
  other.stop();
}

TEST_F(LedgerTest, KeepsKeysOfAnyBytesApart) {
  RedisLedger ledger(loop, options, "one");
  std::map<std::string, Use> wanted;
  std::uint64_t number = 0;
  for (const auto& key : {std::string("a"), std::string("a "), std::string(" a"), std::string("\0", 1),
                          std::string("\0\0", 2), std::string("\r\n\xff\xfe"), std::string(256, '\x01')}) {
    const auto field = "plan " + key;
    wanted[field] = {++number, 1};
    ASSERT_TRUE(add(ledger, batch_of(number, {{field, {number, 1}}})).has_value());
  }
  EXPECT_EQ(all_of(ledger), wanted);
  for (const auto& [field, use] : wanted) EXPECT_EQ(limit::read_ledger_field(field)->limit, "plan");
  ledger.stop();
}

TEST_F(LedgerTest, HasAFullBatchInManyBuckets) {
  RedisLedger ledger(loop, options, "one");
  Uses uses;
  for (auto& field : fields_of_lane(3, 512)) uses.emplace_back(std::move(field), Use{3, 2});
  ASSERT_TRUE(add(ledger, batch_of(1, uses)).has_value()) << log.str();
  ASSERT_TRUE(add(ledger, batch_of(2, uses)).has_value()) << log.str();
  const auto all = all_of(ledger);
  EXPECT_EQ(all.size(), 512u);
  for (const auto& [field, use] : all) EXPECT_EQ(use, (Use{6, 4})) << field;
  EXPECT_EQ(all_of(ledger, 1), all) << "a bucket at a time";
  ledger.stop();
}

TEST_F(LedgerTest, SaysWhatFindsNoPlaceInAFullBucket) {
  RedisLedger ledger(loop, options, "one");
  const std::string field = "plan acme";
  const auto bucket = limit::bucket_of(field);
  char name[64];
  std::snprintf(name, sizeof name, "hg:v1:{usage:2026-11-22:%02u}:%x%x", limit::lane_of(bucket),
                bucket % limit::kBucketsOfLane / 16, bucket % 16);
  ASSERT_EQ(cli("EVAL \"for i = 1, " + std::to_string(RedisLedger::kMaxFields - 1) +
                " do redis.call('HSET', KEYS[1], 'x ' .. i, '1 1') end return 1\" 1 " + name),
            "1");
  auto added = add(ledger, batch_of(1, {{field, {5, 1}}}));
  ASSERT_TRUE(added.has_value()) << log.str();
  EXPECT_EQ(*added, Use()) << "the last place";
  Uses more{{field, {2, 1}}};
  for (int i = 0; more.size() < 2; ++i)
    if (limit::bucket_of("plan b" + std::to_string(i)) == bucket)
      more.push_back({"plan b" + std::to_string(i), {9, 3}});
  added = add(ledger, batch_of(2, more));
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(*added, (Use{9, 3})) << "who is in it goes on";
  const auto read = wait_for(ledger.read(kLedgerDay, bucket, 1));
  ASSERT_TRUE(read.has_value()) << log.str();
  EXPECT_EQ(read->front().uses.size(), RedisLedger::kMaxFields);
  EXPECT_THAT(read->front().uses, testing::Contains(Pair(field, Use{7, 2})));
  ledger.stop();
}

TEST_F(LedgerTest, EndsADayWhenItIsKeptNoLonger) {
  RedisLedger ledger(loop, options, "one");
  ASSERT_TRUE(add(ledger, batch_of(1, {{"plan acme", {5, 1}}}), 72h).has_value());
  const auto keys = cli("KEYS '*'");
  EXPECT_THAT(keys, HasSubstr("hg:v1:{usage:2026-11-22:"));
  std::istringstream lines(keys);
  int count = 0;
  for (std::string key; std::getline(lines, key); ++count) {
    const auto ttl = std::stoll(cli("PTTL '" + key + "'"));
    EXPECT_GT(ttl, 71 * 3'600'000LL) << key;
    EXPECT_LE(ttl, 72 * 3'600'000LL) << key;
  }
  EXPECT_EQ(count, 2);
  ledger.stop();
}

TEST_F(LedgerTest, ChangesNothingIfAKeyIsOfAnotherType) {
  RedisLedger ledger(loop, options, "one");
  const auto fields = fields_of_lane(5, 200);
  const auto last = limit::bucket_of(fields.back());
  char name[64];
  std::snprintf(name, sizeof name, "hg:v1:{usage:2026-11-22:05}:%x%x", last % 64 / 16, last % 16);
  ASSERT_EQ(cli(std::string("SET ") + name + " x"), "OK");
  Uses uses;
  for (const auto& field : fields) uses.emplace_back(field, Use{1, 1});
  EXPECT_EQ(add(ledger, batch_of(1, uses)).error(), Errc::refused_by_server);
  EXPECT_EQ(logged(" ledger_error"), 1) << log.str();
  ASSERT_EQ(cli(std::string("DEL ") + name), "1");
  EXPECT_THAT(all_of(ledger), IsEmpty()) << "not even a part of it";
  ASSERT_TRUE(add(ledger, batch_of(1, uses)).has_value());
  EXPECT_EQ(all_of(ledger).size(), 200u);
  EXPECT_EQ(logged(" ledger_works"), 1) << log.str();
  ledger.stop();
}

TEST_F(LedgerTest, StaysAtTheLargestSum) {
  RedisLedger ledger(loop, options, "one");
  const std::uint64_t most = (std::uint64_t{1} << 53U) - 1;
  ASSERT_TRUE(add(ledger, batch_of(1, {{"plan acme", {most - 1, 1}}})).has_value());
  EXPECT_THAT(all_of(ledger), ElementsAre(Pair("plan acme", Use{most - 1, 1}))) << "exact so far";
  ASSERT_TRUE(add(ledger, batch_of(2, {{"plan acme", {1'000'000'000, 1}}})).has_value());
  EXPECT_THAT(all_of(ledger), ElementsAre(Pair("plan acme", Use{most, 2})));
  ledger.stop();
}

using LedgerMoves = WithLedgers<LoopTest>;

TEST_F(LedgerMoves, FollowsTheMasterThatSentinelsName) {
  if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  test::RedisSentinel redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  RedisOptions options;
  options.topology = Topology::sentinel;
  options.master = "shop";
  options.nodes.clear();
  for (const auto& sentinel : redis.sentinels) options.nodes.push_back({"127.0.0.1", sentinel.port()});
  RedisLedger ledger(loop, options, "one");
  ASSERT_TRUE(add_at_last(ledger, batch_of(1, {{"plan acme", {5, 1}}}))) << log.str();
  ASSERT_EQ(test::redis_cli(redis.servers[0].port(), "WAIT 2 5000"), "2");
  redis.servers[0].kill9();
  ASSERT_TRUE(add_at_last(ledger, batch_of(1, {{"plan acme", {5, 1}}}))) << "its answer may have been lost";
  ASSERT_TRUE(add_at_last(ledger, batch_of(2, {{"plan acme", {2, 1}}}))) << log.str();
  EXPECT_THAT(all_of(ledger), ElementsAre(Pair("plan acme", Use{7, 2}))) << "the number has moved with the sums";
  ledger.stop();
  expect_empty_loop();
}

TEST_F(LedgerMoves, SpreadsADayOverACluster) {
  if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  test::RedisCluster cluster;
  ASSERT_TRUE(cluster.start(0)) << cluster.error();
  RedisOptions options;
  options.topology = Topology::cluster;
  options.nodes = {{"127.0.0.1", cluster.nodes[0].port()}};
  RedisLedger ledger(loop, options, "one");
  std::map<std::string, Use> wanted;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    const auto field = "plan caller-" + std::to_string(i);
    wanted[field] = {i, 1};
    ASSERT_TRUE(add_at_last(ledger, batch_of(i, {{field, {i, 1}}}))) << log.str();
  }
  EXPECT_EQ(all_of(ledger), wanted);
  for (const auto& node : cluster.nodes) EXPECT_NE(test::redis_cli(node.port(), "DBSIZE"), "0");
  ledger.stop();
  expect_empty_loop();
}

class LedgerHostile : public LedgerMoves {
 protected:
  LedgerHostile() { options.nodes[0].port = server.port(); }
  FakeServer server{loop};
  RedisOptions options;
};

TEST_F(LedgerHostile, CostsOnlyTheCallIfTheReplyIsNonsense) {
  RedisLedger ledger(loop, options, "one");
  for (const std::string& nonsense :
       {std::string("+OK\r\n"), std::string(":1\r\n"), std::string("$-1\r\n"), std::string("*0\r\n"),
        std::string("*1\r\n:5\r\n"), std::string("*1\r\n*1\r\n$1\r\nx\r\n"), "*65\r\n" + [] {
          std::string all;
          for (int i = 0; i < 65; ++i) all += "*0\r\n";
          return all;
        }()}) {
    server.on_decision = [nonsense](FakeServer::Peer&, const FakeServer::Words&) { return nonsense; };
    EXPECT_EQ(add(ledger, batch_of(1, {{"plan acme", {5, 1}}})).error(), Errc::bad_reply) << nonsense;
    EXPECT_EQ(wait_for(ledger.read(kLedgerDay, 0, 10)).error(), Errc::bad_reply) << nonsense;
  }
  server.on_decision = [](FakeServer::Peer&, const FakeServer::Words&) {
    return std::string("*1\r\n*4\r\n$5\r\nno-sp\r\n$3\r\n1 1\r\n$6\r\nplan a\r\n$1\r\nx\r\n");
  };
  const auto read = wait_for(ledger.read(kLedgerDay, 0, 10));
  ASSERT_TRUE(read.has_value());
  EXPECT_THAT(read->front().uses, IsEmpty()) << "what no gateway wrote is left out";
  ledger.stop();
}

}  // namespace
}  // namespace headgate::redis
