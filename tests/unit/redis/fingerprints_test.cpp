// The fingerprints of limits with a real redis-server, and in a cluster.
#include "headgate/redis/fingerprints.hpp"

#include "ban_fixture.hpp"
#include "cluster_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"

#include <gmock/gmock.h>

namespace headgate::redis {
namespace {

using limit::Disagreement;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<limit::Fingerprint> kShapes{{"read", "00ab"}, {"write", "00cd"}};
const std::vector<limit::Fingerprint> kOtherShapes{{"read", "00ff"}, {"upload", "0001"}, {"write", "00cd"}};

template <class Fixture>
class WithFingerprints : public WithBanLogs<Fixture> {
 protected:
  limit::Fingerprints::Comparison tell(RedisFingerprints& gateway, const std::vector<limit::Fingerprint>& own,
                                       const std::string& instance) {
    const auto answer = this->wait(gateway.tell(own, instance));
    EXPECT_TRUE(answer.has_value());
    return answer.has_value() ? *answer : limit::Fingerprints::Comparison{};
  }
};

class FingerprintsTest : public WithFingerprints<RedisLimiter> {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (!IsSkipped()) start();
  }
  std::string cli(const std::string& words) const { return test::redis_cli(redis.port(), words); }
};

TEST_F(FingerprintsTest, OfGatewaysThatAgreeDifferInNothing) {
  RedisFingerprints one(loop, options, "one");
  RedisFingerprints other(loop, options, "other");
  EXPECT_EQ(tell(one, kShapes, "web-1").gateways, 1U);
  const auto told = tell(other, kShapes, "web 2");
  EXPECT_EQ(told.gateways, 2U);
  EXPECT_THAT(told.differ, IsEmpty());
  one.stop();
  other.stop();
  expect_empty_loop();
}

TEST_F(FingerprintsTest, NameEachLimitThatOthersHaveInAnotherShape) {
  RedisFingerprints one(loop, options, "one");
  RedisFingerprints second(loop, options, "second");
  RedisFingerprints third(loop, options, "third");
  tell(one, kShapes, "web-1");
  EXPECT_THAT(tell(second, kOtherShapes, "web 2").differ, ElementsAre(Disagreement{"read", 1, "web-1"}));
  tell(third, kOtherShapes, "web 2");
  EXPECT_THAT(tell(one, kShapes, "web-1").differ, ElementsAre(Disagreement{"read", 2, "web 2"}));
  EXPECT_THAT(tell(one, kOtherShapes, "web-1").differ, IsEmpty()) << "after its reload";
  EXPECT_EQ(tell(second, kOtherShapes, "web 2").gateways, 3U) << "it is there once";
  EXPECT_THAT(tell(second, kOtherShapes, "web 2").differ, IsEmpty());
  for (auto* each : {&one, &second, &third}) each->stop();
}

TEST_F(FingerprintsTest, CountNoLongerOnceTheirGatewayHasLeft) {
  RedisFingerprints one(loop, options, "one");
  RedisFingerprints other(loop, options, "other");
  tell(one, kShapes, "web-1");
  EXPECT_EQ(wait(one.leave()), error_code());
  const auto told = tell(other, kOtherShapes, "web-2");
  EXPECT_EQ(told.gateways, 1U);
  EXPECT_THAT(told.differ, IsEmpty());
  one.stop();
  other.stop();
}

TEST_F(FingerprintsTest, ExpireAndReplaceWhatAnotherProgramLeft) {
  EXPECT_EQ(cli("SET hg:v1:{limits} 5"), "OK");
  RedisFingerprints one(loop, options, "one");
  EXPECT_EQ(tell(one, kShapes, "web-1").gateways, 1U);
  EXPECT_EQ(cli("TYPE hg:v1:{limits}"), "zset");
  EXPECT_EQ(cli("EVAL \"return #redis.call('KEYS', 'hg:v1:{limits}*')\" 0"), "2");
  const auto left = std::stol(cli("PTTL hg:v1:{limits}"));
  EXPECT_GT(left, 50'000);
  EXPECT_LE(left, 60'000);
  one.stop();
}

TEST_F(FingerprintsTest, OfAGatewayOnAClockThatWasAheadCountNoLonger) {
  cli("ZADD hg:v1:{limits} 9000000000000000 '00ff 0123 web-9'");
  RedisFingerprints one(loop, options, "one");
  EXPECT_EQ(tell(one, kShapes, "web-1").gateways, 1U);
  one.stop();
}

TEST_F(FingerprintsTest, OfAGatewayThatIsGoneCountNoLongerByTheClockOfRedis) {
  const auto seconds_from_now = [this](int seconds) {
    const auto time = cli("TIME");
    return std::to_string(std::stoll(time.substr(0, time.find_first_of("\r\n "))) + seconds) + "000000";
  };
  RedisFingerprints one(loop, options, "one");
  cli("ZADD hg:v1:{limits} " + seconds_from_now(10) + " '00ff 0123 web-9'");
  EXPECT_EQ(tell(one, kShapes, "web-1").gateways, 2U);
  cli("ZADD hg:v1:{limits} " + seconds_from_now(-1) + " '00ff 0123 web-9'");
  EXPECT_EQ(tell(one, kShapes, "web-1").gateways, 1U) << "it has not said for a while that it is there";
  EXPECT_EQ(cli("ZCARD hg:v1:{limits}"), "1");
  const auto until = std::stoll(cli("EVAL \"return redis.call('ZRANGE', 'hg:v1:{limits}', 0, 0, 'WITHSCORES')[2]\" 0"));
  EXPECT_GT(until, std::stoll(seconds_from_now(5))) << "Redis says how late it is, and not the gateway";
  EXPECT_LE(until, std::stoll(seconds_from_now(60)));
  one.stop();
}

class FingerprintsInACluster : public WithFingerprints<ClusterFixture> {
 protected:
  void SetUp() override { start(0); }
};

TEST_F(FingerprintsInACluster, AreInOneSlot) {
  RedisFingerprints one(loop, options, "one");
  RedisFingerprints other(loop, options, "other");
  tell(one, kShapes, "web-1");
  EXPECT_THAT(tell(other, kOtherShapes, "web-2").differ, ElementsAre(Disagreement{"read", 1, "web-1"}));
  one.stop();
  other.stop();
}

}  // namespace
}  // namespace headgate::redis
