// A limit in shards: which counters a request asks, and that what it took there is given back there.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;

class PathShards : public Path {
 protected:
  limit::Limit& in_shards(std::uint32_t shards, std::string_view rate = "80/hour") {
    auto& limit = in_redis("plan", rate);
    limit.shards = shards;
    return limit;
  }
  static std::string shard(int number) { return "192.0.2.7#" + std::to_string(number); }
  void spend(int first, int last) {
    for (int i = first; i <= last; ++i) redis->spent.insert(shard(i));
  }
};

TEST_F(PathShards, AskOneEach) {
  in_shards(4);
  check("GET /a");
  for (int i = 0; i < 3; ++i) ask_again("GET /a");
  auto asked = redis->asked;
  std::sort(asked.begin(), asked.end());
  EXPECT_THAT(asked, ElementsAre(shard(1), shard(2), shard(3), shard(4)));
}

TEST_F(PathShards, TellTheSizeOfTheLimitAndWhatOneShardHasLeft) {
  in_shards(4);
  check("GET /a");
  EXPECT_EQ(client.fields["X-RateLimit-Limit"], "80");
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"plan\";q=80;w=3600");
  EXPECT_EQ(client.fields["X-RateLimit-Remaining"], "19") << "at least so many are left";
}

TEST_F(PathShards, AskOneMoreIfABucketRejects) {
  in_shards(4);
  spend(1, 4);
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["X-RateLimit-Limit"], "80");
  EXPECT_EQ(client.fields["Retry-After"], "180") << "until any of the four, of 20 an hour, has a permit again";
  ASSERT_THAT(redis->asked, SizeIs(2));
  EXPECT_NE(redis->asked[0], redis->asked[1]);
  redis->spent.erase(redis->asked[1]);
  for (int i = 0; i < 3; ++i) ask_again("GET /a");  // until it is the first one's turn again
  redis->asked.clear();
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(redis->asked, SizeIs(2));
}

TEST_F(PathShards, AskAllOthersIfAWindowRejects) {
  in_shards(4).tiers.front().rules.front().algorithm = limit::find_algorithm("sliding_window");
  spend(1, 4);
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  ASSERT_THAT(redis->asked, SizeIs(4));
  const auto last = redis->asked[3];
  redis->spent.erase(last);
  for (int i = 0; i < 3; ++i) {  // whose turn it ever is
    ask_again("GET /a");
    EXPECT_EQ(client.status, 200U);
    EXPECT_EQ(redis->asked.back(), last);
  }
}

TEST_F(PathShards, PassOverThoseThatAreKnownToReject) {
  in_shards(8);
  spend(1, 8);
  check("GET /a");
  const auto first = redis->asked[0];
  const auto second = redis->asked[1];
  for (int i = 1; i <= 8; ++i) redis->known.insert(shard(i));
  // Only the last one in turn after the first has permits.
  const int number = first.back() - '0';
  const auto last = shard((number + 6) % 8 + 1);
  redis->spent.erase(last);
  redis->known.erase(last);
  redis->known.erase(first);
  redis->asked.clear();
  for (int i = 0; i < 8; ++i) ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(redis->asked.back(), last);
}

TEST_F(PathShards, DoNotAskAgainIfAnotherLimitRejects) {
  in_shards(4);
  in_redis("day", "10/day");
  redis->rejects = "day";
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(redis->asked, SizeIs(1));
}

TEST_F(PathShards, SettleWhereTheyTook) {
  in_shards(4);
  settles(5);
  server.fields = {{http::Known::unknown, "cost", "2"}};
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_TRUE(trace.has("settle plan -3"));
  EXPECT_EQ(redis->settled_keys, redis->asked);
}

TEST_F(PathShards, PayWhatAnOutageLetThroughInParts) {
  in_shards(4);
  settles(10);
  redis->away = error::timed_out;
  server.fields = {{http::Known::unknown, "cost", "10"}};
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left("plan"), 70U) << "the whole limit's share is counted here";
  redis->away.reset();
  clock.advance(seconds(1));
  EXPECT_THAT(redis->charged, ElementsAre(shard(2) + " 3", shard(3) + " 3", shard(4) + " 3", shard(1) + " 1"));
}

TEST_F(PathShards, AreFewerForASmallTier) {
  in_shards(8, "3/hour");
  check("GET /a");
  EXPECT_EQ(client.fields["X-RateLimit-Limit"], "3");
  EXPECT_THAT(redis->asked, ElementsAre(StartsWith("192.0.2.7#")));
}

}  // namespace
}  // namespace headgate::gateway::test
