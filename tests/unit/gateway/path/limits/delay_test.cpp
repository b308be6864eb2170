// A request whose permit comes later leaves exactly at that moment, if its client still waits.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using std::chrono::microseconds;

class PathDelay : public Path {
 protected:
  /// Ten a second, evenly spaced.
  PathDelay() {
    auto& limit = in_memory("plan", "10/second");
    auto& rule = limit.tiers[0].rules[0];
    rule = headgate::test::make_rule("10/second", 0, "plan", "leaky_bucket", seconds(1));
    limit::name_rule(rule, false, limit::PeriodInKey::no);
  }
};

TEST_F(PathDelay, EndsAtItsMoment) {
  check("GET /first");
  ASSERT_TRUE(done) << "there was a permit";
  ask_again("GET /second");
  EXPECT_FALSE(done);
  clock.advance(milliseconds(100) - microseconds(1));
  EXPECT_FALSE(done);
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
  clock.advance(microseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.admission.delay, milliseconds(100));
}

TEST_F(PathDelay, EndsIfItsClientLeavesAndLosesThePermit) {
  check("GET /first");
  ask_again("GET /second");
  clock.advance(milliseconds(10));
  leave();
  clock.advance(Duration(0));
  ASSERT_TRUE(done) << "nobody is left to wait";
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
  EXPECT_EQ(client.status, 0U);
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("give-back"))))
      << "given back, it would let the next one out beside one that waits already";
  EXPECT_EQ(x.delay, nullptr);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(PathDelay, IsTheLongestDelayOfAllLimits) {
  in_redis("far", "10/second");
  redis->delay = milliseconds(250);
  check("GET /first");
  clock.advance(milliseconds(249));
  EXPECT_FALSE(done);
  clock.advance(milliseconds(1));
  EXPECT_TRUE(done);
}

TEST_F(PathDelay, DoesNotApplyToARejectedRequest) {
  in_redis("far", "10/second");
  redis->rejects = "far";
  check("GET /first");
  ask_again("GET /second");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathDelay, IsSkippedIfTheClientHasLeft) {
  in_redis("far", "10/second");
  redis->answers_after = milliseconds(5);
  redis->delay = seconds(1);
  check("GET /first");
  leave();
  clock.advance(milliseconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
}

}  // namespace
}  // namespace headgate::gateway::test
