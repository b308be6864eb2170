// The marks of notices with a real redis-server, and in a cluster.
#include "ban_fixture.hpp"
#include "cluster_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"

#include "headgate/redis/notice_marks.hpp"

#include <gmock/gmock.h>

namespace headgate::redis {
namespace {

using Answer = limit::NoticeMarks::Answer;
using testing::HasSubstr;

class NoticeMarksTest : public WithBanLogs<RedisLimiter> {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (!IsSkipped()) start();
  }
  Answer take(NoticeMarks& marks, const std::string& id, Duration length = 15s) {
    const auto answer = wait(marks.take(id, length));
    EXPECT_TRUE(answer.has_value()) << log.str();
    return answer.has_value() ? *answer : Answer::told;
  }
  std::string cli(const std::string& words) const { return test::redis_cli(redis.port(), words); }
};

TEST_F(NoticeMarksTest, AreOfTheFirstThatTakesThem) {
  NoticeMarks one(loop, options);
  NoticeMarks other(loop, options);
  EXPECT_EQ(take(one, "quota_a"), Answer::ours);
  EXPECT_EQ(take(other, "quota_a"), Answer::others);
  EXPECT_EQ(take(one, "quota_a"), Answer::ours) << "the first answer may have been lost";
  EXPECT_EQ(take(other, "quota_b"), Answer::ours);
  EXPECT_EQ(wait(one.told("quota_a", 1h)), error_code());
  EXPECT_EQ(take(one, "quota_a"), Answer::told);
  EXPECT_EQ(take(other, "quota_a"), Answer::told);
  EXPECT_EQ(cli("GET hg:v1:notice:{quota_a}"), "told");
  const auto rest = std::stol(cli("PTTL hg:v1:notice:{quota_a}"));
  EXPECT_GT(rest, 3'590'000);
  EXPECT_LE(rest, 3'600'000);
  one.stop();
  other.stop();
  expect_empty_loop();
}

TEST_F(NoticeMarksTest, EndUnlessTheyAreHeld) {
  NoticeMarks one(loop, options);
  NoticeMarks other(loop, options);
  EXPECT_EQ(take(one, "quota_a", 300ms), Answer::ours);
  EXPECT_EQ(take(one, "quota_b", 300ms), Answer::ours);
  EXPECT_EQ(wait(one.hold("quota_b", 10s)), error_code());
  run_for(400ms);
  EXPECT_EQ(take(other, "quota_a"), Answer::ours);
  EXPECT_EQ(take(other, "quota_b"), Answer::others);
  one.stop();
  other.stop();
}

TEST_F(NoticeMarksTest, AreUnknownWhileRedisDoesNotAnswer) {
  NoticeMarks marks(loop, options);
  EXPECT_EQ(take(marks, "quota_a"), Answer::ours);
  redis.stop();
  const auto answer = wait(marks.take("quota_b", 15s));
  EXPECT_TRUE(answer.has_error());
  EXPECT_TRUE(wait(marks.told("quota_a", 1h)));
  marks.stop();
  expect_empty_loop();
}

TEST_F(NoticeMarksTest, NeedNoRightThatLimitsDoNotNeed) {
  const std::string rule =
      "'~hg:*' +evalsha +eval '+script|load' +role +time +get +set +del +llen +lindex +lpush +rpush +ltrim +pexpire "
      "+zadd +zcount +zrangebyscore +zrem +zremrangebyscore +zscore";
  ASSERT_EQ(cli("ACL SETUSER gate on '>secret' " + rule), "OK");
  options.username = "gate";
  options.password = "secret";
  NoticeMarks marks(loop, options);
  EXPECT_EQ(take(marks, "quota_a"), Answer::ours);
  EXPECT_EQ(wait(marks.hold("quota_a", 1h)), error_code());
  EXPECT_EQ(wait(marks.told("quota_a", 1h)), error_code());
  EXPECT_THAT(cli("ACL LOG"), testing::Not(HasSubstr("gate")));
  marks.stop();
}

class NoticeMarksInACluster : public WithBanLogs<ClusterFixture> {
 protected:
  void SetUp() override { start(0); }
};

TEST_F(NoticeMarksInACluster, AreSpreadOverItsNodes) {
  NoticeMarks marks(loop, options);
  for (int i = 0; i < 60; ++i) {
    const auto answer = wait(marks.take("quota_" + std::to_string(i), 1min));
    ASSERT_TRUE(answer.has_value()) << log.str();
    EXPECT_EQ(*answer, Answer::ours);
  }
  for (const auto& node : cluster.nodes) EXPECT_GT(std::stoi(test::redis_cli(node.port(), "DBSIZE")), 5);
  marks.stop();
}

}  // namespace
}  // namespace headgate::redis
