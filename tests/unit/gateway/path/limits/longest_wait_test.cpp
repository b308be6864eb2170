// A rejected caller is told the longest wait that is already certain, whichever limit makes it wait.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class PathLongestWait : public Path {
 protected:
  void short_here_and_long_there() {
    in_memory("burst", "1/second");
    in_redis("day", "1000/day");
  }
  void twice(std::string_view fields = {}) {
    check("GET /", fields);
    ask_again("GET /", fields);
  }
  void expect_told(const std::string& told) {
    EXPECT_EQ(client.status, 429U);
    EXPECT_EQ(client.fields["Retry-After"], told);
    EXPECT_THAT(client.fields["RateLimit"], HasSubstr(";r=0;t=" + told));
    EXPECT_THAT(client.body, HasSubstr("\"retry_after\": " + told));
  }
};

TEST_F(PathLongestWait, IsToldByALimitInMemoryBeforeALongerOneInRedis) {
  short_here_and_long_there();
  redis->known_waits["day"] = seconds(3598);
  twice();
  expect_told("3598");
  EXPECT_EQ(client.fields["X-RateLimit-Reset"],
            std::to_string(std::chrono::ceil<seconds>((clock.wall() + seconds(3598)).time_since_epoch()).count()));
  EXPECT_THAT(client.body, HasSubstr("\"limit\": \"burst\"")) << "that is who rejected it";
  EXPECT_THAT(trace.lines, Not(Contains(StartsWith("redis")))) << "a flood costs Redis nothing";
}

TEST_F(PathLongestWait, IsItsOwnIfRedisIsKnownToRejectForLess) {
  in_memory("minute", "1/minute");
  in_redis("day", "1000/day");
  redis->known_waits["day"] = seconds(3);
  twice();
  expect_told("60");
}

TEST_F(PathLongestWait, IsThatOfAllLimitsInRedisAlsoIfOneOfThemRejects) {
  in_redis("hour", "1000/hour");
  in_redis("day", "1000/day");
  redis->rejects = "hour";  // for 7 s
  redis->known_waits["day"] = seconds(3598);
  check("GET /");
  expect_told("3598");
}

TEST_F(PathLongestWait, IsTheSameForCallersAndOperatorsWhoAsk) {
  short_here_and_long_there();
  redis->known_waits["day"] = seconds(3598);
  check("GET /");
  const auto explained = explain("GET /");
  EXPECT_EQ(explained.status, 429U);
  EXPECT_EQ(explained.retry_after, 3598U);
}

TEST_F(PathLongestWait, SaysNothingOfACredentialBeforeItWasChecked) {
  in_memory("burst", "1/second");
  believe_tokens();
  limit_by("jwt.sub", "proof", "1000/day", limit::Store::redis);
  redis->known_waits["proof"] = seconds(3598);
  twice("Authorization: Bearer alice\r\n");
  expect_told("1");
}

TEST_F(PathLongestWait, SaysNothingOfALimitInARedisThatIsAway) {
  short_here_and_long_there();
  redis->known_waits["day"] = seconds(3598);
  redis->away = make_error_code(error::timed_out);
  twice();
  expect_told("1");
}

TEST_F(PathLongestWait, SaysNothingOfALimitThatOnlyObserves) {
  in_memory("burst", "1/second");
  in_redis("day", "1000/day").mode = limit::Mode::observe;
  redis->known_waits["day"] = seconds(3598);
  twice();
  expect_told("1");
}

}  // namespace
}  // namespace headgate::gateway::test
