// All keys of a limit in Redis are reset through the admin interface and its command.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

class ResetAll : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json limited() const {
    return {{"admin", {{"listen", "127.0.0.1:0"}}},
            {"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "1s"}}},
            {"limits",
             {{"x", {{"rate", "2/day"}, {"per", "client_ip"}, {"store", "redis"}}},
              {"y", {{"rate", "9/day"}, {"per", "client_ip"}, {"store", "redis"}}}}},
            {"all_routes", {{"limits", {"x", "y"}}}}};
  }
  static int status_of(const Proxy& proxy, const std::string& from) { return proxy.client(from).get().status(); }
  RedisServer redis;
};

TEST_F(ResetAll, BeginsAllKeysAnewForAllGateways) {
  Proxy one(limited());
  Proxy two(limited());
  const Operator operators(one.gateway.process());
  for (const auto* from : {"127.0.0.1", "127.0.0.2", "127.0.0.3"}) {
    for (const int status : {200, 200, 429}) ASSERT_EQ(status_of(one, from), status) << from;
    ASSERT_EQ(status_of(two, from), 429) << from;
  }
  const auto ran = run_headgate({"reset", "x", "--all", "--admin", operators.url()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "what 3 keys of x had used is forgotten, for all gateways\n");
  EXPECT_EQ(ran.err, "") << "no progress where nobody looks";
  for (const auto* from : {"127.0.0.1", "127.0.0.2", "127.0.0.3"})
    EXPECT_TRUE(wait_until([&] { return status_of(two, from) == 200; })) << from;
  EXPECT_GE(operators.get("/api/v1/limits/y/keys/127.0.0.1")["rules"][0]["used"], 2) << "of another limit";
  EXPECT_TRUE(one.gateway.process().wait_for_err([](const std::string& log) { return log.find("keys=all") != log.npos; })) << "an event says who did it";
}

TEST_F(ResetAll, SaysOfWhatIsWrongWhatIt) {
  Proxy proxy(limited());
  const Operator operators(proxy.gateway.process());
  EXPECT_EQ(operators.ask("DELETE", "/api/v1/limits/x/keys?after=nonsense").status(), 400);
  EXPECT_EQ(operators.ask("DELETE", "/api/v1/limits/z/keys").status(), 404);
  const auto well = operators.ask("DELETE", "/api/v1/limits/x/keys");
  EXPECT_EQ(well.status(), 200) << well.body;
  EXPECT_EQ(Json::parse(well.body)["keys"], 0);
  redis.stop();
  const auto ran = run_headgate({"reset", "x", "--all", "--admin", operators.url()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("127.0.0.1:" + std::to_string(redis.port())), std::string::npos) << ran.err;
}

TEST_F(ResetAll, WalksInPartsThroughAMillionKeysOfOthers) {
  Proxy proxy(limited());
  const Operator operators(proxy.gateway.process());
  redis_cli(redis.port(), "EVAL \"for i = 1, 1000000 do redis.call('SET', 'session:' .. i, '') end\" 0");
  ASSERT_EQ(status_of(proxy, "127.0.0.1"), 200);
  const auto first = operators.ask("DELETE", "/api/v1/limits/x/keys");
  ASSERT_EQ(first.status(), 200) << first.body;
  EXPECT_TRUE(Json::parse(first.body).contains("more")) << first.body;
  const auto ran = run_headgate({"reset", "x", "--all", "--json", "--admin", operators.url()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto all = Json::parse(ran.out);
  EXPECT_GE(all["looked_at"], 1'000'000);
  EXPECT_LE(all["keys"], 1);
  EXPECT_FALSE(all.contains("more"));
  EXPECT_EQ(operators.get("/api/v1/limits/x/keys/127.0.0.1")["rules"][0]["used"], 0);
}

}  // namespace
}  // namespace headgate::test
