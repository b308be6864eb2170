// What is left of a limit that all callers share, as a gauge; and the part of a limit that a gateway grants alone.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

class LeftOfAll : public Path {
 protected:
  void again() { gateway ? ask_again("GET /", "") : check("GET /", ""); }
};

TEST_F(LeftOfAll, IsAGaugeOfEachLimitThatAllShare) {
  limit_by("total", "all", "3/hour");
  in_memory("each", "10/hour");
  const auto shown = [this] { return metric("headgate_limit_remaining{limit=\"all\",tier=\"\"}"); };
  again();
  EXPECT_EQ(shown(), "2");
  again();
  again();
  EXPECT_EQ(shown(), "0");
  again();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(shown(), "0");
  EXPECT_EQ(metric("headgate_limit_remaining{limit=\"each\",tier=\"\"}"), "") << "each key has a number of its own";
}

TEST_F(LeftOfAll, IsThePartOfTheLimitThatTheFileSaysWhileRedisIsDown) {
  in_redis("plan", "10/hour");
  limits.back().alone_up = 1;
  limits.back().alone_down = 5;
  redis->away = make_error_code(boost::system::errc::timed_out);
  again();
  again();
  EXPECT_EQ(client.status, 200U);
  again();
  EXPECT_EQ(client.status, 429U) << "two of ten";
}

}  // namespace
}  // namespace headgate::gateway::test
