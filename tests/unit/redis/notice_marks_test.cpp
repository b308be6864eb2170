// The marks of notices with a real redis-server, and in a cluster.
#include "headgate/redis/notice_marks.hpp"

#include "ban_fixture.hpp"
#include "cluster_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"

#include <gmock/gmock.h>

namespace headgate::redis {
namespace {

using Marked = limit::NoticeMarks::Answer;

class NoticeMarksTest : public WithBanLogs<RedisLimiter> {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (!IsSkipped()) start();
  }
  Marked take(RedisNoticeMarks& marks, const std::string& id, Duration length = 15s) {
    const auto answer = wait(marks.take(id, length));
    EXPECT_TRUE(answer.has_value()) << log.str();
    return answer.has_value() ? *answer : Marked::told;
  }
  std::string cli(const std::string& words) const { return test::redis_cli(redis.port(), words); }
};

TEST_F(NoticeMarksTest, AreOfTheFirstThatTakesThem) {
  RedisNoticeMarks one(loop, options);
  RedisNoticeMarks other(loop, options);
  EXPECT_EQ(take(one, "quota_a"), Marked::ours);
  EXPECT_EQ(take(other, "quota_a"), Marked::others);
  EXPECT_EQ(take(one, "quota_a"), Marked::ours) << "the first answer may have been lost";
  EXPECT_EQ(take(other, "quota_b"), Marked::ours);
  EXPECT_EQ(wait(one.told("quota_a", 1h)), error_code());
  EXPECT_EQ(take(one, "quota_a"), Marked::told);
  EXPECT_EQ(take(other, "quota_a"), Marked::told);
  EXPECT_EQ(cli("GET hg:v1:notice:{quota_a}"), "told");
  const auto rest = std::stol(cli("PTTL hg:v1:notice:{quota_a}"));
  EXPECT_GT(rest, 3'590'000);
  EXPECT_LE(rest, 3'600'000);
  one.stop();
  other.stop();
  expect_empty_loop();
}

TEST_F(NoticeMarksTest, EndUnlessTheyAreHeld) {
  RedisNoticeMarks one(loop, options);
  RedisNoticeMarks other(loop, options);
  EXPECT_EQ(take(one, "quota_a", 300ms), Marked::ours);
  EXPECT_EQ(take(one, "quota_b", 300ms), Marked::ours);
  EXPECT_EQ(wait(one.hold("quota_b", 10s)), error_code());
  run_for(400ms);
  EXPECT_EQ(take(other, "quota_a"), Marked::ours);
  EXPECT_EQ(take(other, "quota_b"), Marked::others);
  one.stop();
  other.stop();
}

TEST_F(NoticeMarksTest, AreUnknownWhileRedisDoesNotAnswer) {
  RedisNoticeMarks marks(loop, options);
  EXPECT_EQ(take(marks, "quota_a"), Marked::ours);
  redis.stop();
  const auto answer = wait(marks.take("quota_b", 15s));
  EXPECT_TRUE(answer.has_error());
  EXPECT_TRUE(wait(marks.told("quota_a", 1h)));
  marks.stop();
  expect_empty_loop();
}

class NoticeMarksInACluster : public WithBanLogs<ClusterFixture> {
 protected:
  void SetUp() override { start(0); }
};

TEST_F(NoticeMarksInACluster, AreSpreadOverItsNodes) {
  RedisNoticeMarks marks(loop, options);
  for (int i = 0; i < 60; ++i) {
    const auto answer = wait(marks.take("quota_" + std::to_string(i), 1min));
    ASSERT_TRUE(answer.has_value()) << log.str();
    EXPECT_EQ(*answer, Marked::ours);
  }
  for (const auto& node : cluster.nodes) EXPECT_GT(std::stoi(test::redis_cli(node.port(), "DBSIZE")), 5);
  marks.stop();
}

}  // namespace
}  // namespace headgate::redis
