// The log of suspensions behind Sentinels and in a cluster, and from servers that are no Redis.
#include "../../../src/redis/servers/slot_map.hpp"
#include "ban_fixture.hpp"
#include "fake_server.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_sentinel.hpp"

#include <gmock/gmock.h>

namespace headgate::redis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using BanLogMoves = WithBanLogs<LoopTest>;

TEST_F(BanLogMoves, FollowsTheMasterThatSentinelsName) {
  if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  test::RedisSentinel redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  RedisOptions options;
  options.topology = Topology::sentinel;
  options.master = "shop";
  options.nodes.clear();
  for (const auto& sentinel : redis.sentinels) options.nodes.push_back({"127.0.0.1", sentinel.port()});
  BanLog one(loop, options);
  BanLog other(loop, options);
  std::string position;
  ASSERT_EQ(append(one, ban_of("before")), error_code()) << log.str();
  EXPECT_THAT(poll(other, position), ElementsAre("before"));
  ASSERT_EQ(test::redis_cli(redis.servers[0].port(), "WAIT 2 5000"), "2");

  redis.servers[0].kill9();
  ASSERT_TRUE(append_at_last(one, ban_of("after"))) << log.str();
  std::optional<News> news;
  ASSERT_TRUE(run_until(
      [&] {
        const auto got = read(other, position);
        if (got.has_value()) news = *got;
        return news.has_value();
      },
      20s));
  EXPECT_THAT(keys_of(*news), ElementsAre("after")) << "the position is still good";
  one.stop();
  other.stop();
  expect_empty_loop();
}

TEST_F(BanLogMoves, FollowsItsSlotThroughACluster) {
  if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  test::RedisCluster cluster;
  ASSERT_TRUE(cluster.start(0)) << cluster.error();
  const auto slot = slot_of("bans");
  const std::string number = std::to_string(slot);
  auto& from = *cluster.owner(slot);
  auto& to = &from == &cluster.nodes[0] ? cluster.nodes[1] : cluster.nodes[0];
  RedisOptions options;
  options.topology = Topology::cluster;
  options.nodes = {{"127.0.0.1", to.port()}};
  BanLog one(loop, options);
  BanLog other(loop, options);
  std::string position;
  ASSERT_EQ(append(one, ban_of("first")), error_code()) << log.str();
  EXPECT_THAT(poll(other, position), ElementsAre("first"));

  ASSERT_EQ(test::redis_cli(to.port(), "CLUSTER SETSLOT " + number + " IMPORTING " + cluster.id(from)), "OK");
  ASSERT_EQ(test::redis_cli(from.port(), "CLUSTER SETSLOT " + number + " MIGRATING " + cluster.id(to)), "OK");
  ASSERT_EQ(append(one, ban_of("second")), error_code()) << "still here";
  ASSERT_EQ(test::redis_cli(from.port(), "MIGRATE 127.0.0.1 " + std::to_string(to.port()) + " 'hg:v1:{bans}' 0 1000"),
            "OK");
  ASSERT_EQ(append(one, ban_of("third")), error_code()) << "ASK";
  EXPECT_THAT(poll(other, position), ElementsAre("second", "third"));
  for (const auto* node : {&to, &from})
    ASSERT_EQ(test::redis_cli(node->port(), "CLUSTER SETSLOT " + number + " NODE " + cluster.id(to)), "OK");
  ASSERT_EQ(append(one, ban_of("fourth")), error_code()) << "MOVED";
  EXPECT_THAT(poll(other, position), ElementsAre("fourth"));
  EXPECT_EQ(logged(" ban_log_error"), 0) << log.str();
  one.stop();
  other.stop();
  expect_empty_loop();
}

class BanLogHostile : public BanLogMoves {
 protected:
  BanLogHostile() { options.nodes[0].port = server.port(); }
  void answer_with(std::string bytes) {
    server.on_decision = [bytes](FakeServer::Peer&, const FakeServer::Words&) { return bytes; };
  }
  FakeServer server{loop};
  RedisOptions options;
};

TEST_F(BanLogHostile, CostsOnlyTheCallIfTheReplyIsNonsense) {
  const std::string ok = ":1700000000000000\r\n:0\r\n:0\r\n";
  BanLog bans(loop, options);
  for (const std::string& nonsense :
       {std::string("+OK\r\n"), std::string(":1\r\n"), std::string("$-1\r\n"), std::string("*0\r\n"),
        std::string("$3\r\n1-x\r\n"), std::string("*4\r\n:1\r\n:0\r\n:0\r\n:0\r\n"),
        std::string("*4\r\n:-1\r\n:0\r\n:0\r\n$0\r\n\r\n"),
        std::string("*4\r\n:9223372036854775807\r\n:0\r\n:0\r\n$0\r\n\r\n"),
        std::string("*4\r\n:1\r\n:1\r\n:0\r\n$0\r\n\r\n"), "*4\r\n" + ok + "$41\r\n" + std::string(41, 'x') + "\r\n",
        "*5\r\n" + ok + "$0\r\n\r\n$3\r\n1-1\r\n", "*6\r\n" + ok + "$0\r\n\r\n$1\r\nx\r\n$1\r\nx\r\n",
        "*6\r\n" + ok + "$0\r\n\r\n$3\r\n1-1\r\n:5\r\n", "*6\r\n" + ok + "$0\r\n\r\n$3\r\n1-1\r\n*0\r\n"}) {
    answer_with(nonsense);
    EXPECT_EQ(read(bans, "").error(), Errc::bad_reply) << nonsense;
    EXPECT_EQ(append(bans, ban_of("caller")), Errc::bad_reply) << nonsense;
  }
  EXPECT_EQ(logged(" ban_log_error"), 2) << log.str();
  answer_with("*6\r\n" + ok + "$0\r\n\r\n$3\r\n1-1\r\n$1\r\nx\r\n");
  EXPECT_TRUE(read(bans, "").has_value()) << "a text that is none makes an entry to skip";
  EXPECT_EQ(bans.unreadable(), 1u);
  EXPECT_EQ(server.connections, 1);
  bans.stop();
}

TEST_F(BanLogHostile, HoldsNoMoreThanAReplyMayHave) {
  answer_with("*2000000\r\n:1\r\n:0\r\n:0\r\n");
  BanLog bans(loop, options);
  EXPECT_EQ(read(bans, "").error(), Errc::unavailable);
  std::string page = "*" + std::to_string(4 + 2 * (BanLog::kPage + 1)) + "\r\n:1\r\n:0\r\n:0\r\n$0\r\n\r\n";
  for (std::size_t i = 0; i <= BanLog::kPage; ++i) page += "$3\r\n1-1\r\n$0\r\n\r\n";
  answer_with(page);
  EXPECT_TRUE(run_until([&] { return read(bans, "").error() == Errc::bad_reply; }));
  bans.stop();
}

}  // namespace
}  // namespace headgate::redis
