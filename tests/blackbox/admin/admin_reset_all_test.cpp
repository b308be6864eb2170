// All keys of a limit in Redis are reset through the admin interface and its command.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

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
  EXPECT_EQ(status_of(one, "127.0.0.1"), 200) << "it says so only when no gateway rejects by what it knew before";
  for (const auto* from : {"127.0.0.2", "127.0.0.3"}) EXPECT_EQ(status_of(two, from), 200) << from;
  EXPECT_GE(operators.get("/api/v1/limits/y/keys/127.0.0.1")["rules"][0]["used"], 2) << "of another limit";
  EXPECT_TRUE(one.gateway.process().wait_for_err([](const std::string& log) {
    return log.find("keys=all") != log.npos;
  })) << "an event says who did it";
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

TEST_F(ResetAll, SaysWhatIsForgottenAlsoIfNoKeyIsLeft) {
  RedisCluster cluster;
  ASSERT_TRUE(cluster.start(0)) << cluster.error();
  Json changes = limited();
  changes["limits"].erase("y");
  changes["all_routes"]["limits"] = {"x"};
  changes["redis"] = {{"cluster", {"127.0.0.1:" + std::to_string(cluster.nodes[0].port())}}, {"timeout", "1s"}};
  Proxy proxy(changes);
  const Operator operators(proxy.gateway.process());
  for (int i = 1; i <= 30; ++i) ASSERT_EQ(status_of(proxy, "127.0.0." + std::to_string(i)), 200);
  // Without these, the servers that answer have no key left.
  const auto slot = redis_cli(cluster.nodes[0].port(), "CLUSTER KEYSLOT 'hg:v1:{limits}'");
  redis_cli(cluster.owner(static_cast<std::uint16_t>(std::stoi(slot)))->port(), "ACL SETUSER default -scan");
  for (const auto* log : {"bans", "overrides"})
    redis_cli(cluster.nodes[0].port(), "-c DEL 'hg:v1:{" + std::string(log) + "}:gateways'");
  const auto answer = operators.ask("DELETE", "/api/v1/limits/x/keys");
  ASSERT_EQ(answer.status(), 200) << answer.body;
  const auto told = Json::parse(answer.body);
  EXPECT_GT(told.value("keys", 0), 0) << answer.body;
  EXPECT_EQ(told["not_done"].size(), 1U) << answer.body;
}

std::string reply_of(int status, const Json& body) {
  const auto text = body.dump();
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/" + (status == 200 ? "" : "problem+") +
         "json\r\nConnection: close\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

TEST_F(ResetAll, WaitsForAPlaceInTheMiddle) {
  using boost::asio::ip::tcp;
  boost::asio::io_context loop;
  tcp::acceptor door(loop, {boost::asio::ip::address_v4::loopback(), 0});
  const Json busy = {{"status", 503}, {"detail", "Other calls are resetting all keys of limits: try again soon."}};
  const std::vector<std::string> replies = {
      reply_of(200, {{"limit", "x"}, {"store", "redis"}, {"keys", 3}, {"looked_at", 9}, {"more", "0-7-a:1"}}),
      reply_of(503, busy), reply_of(503, busy),
      reply_of(200, {{"limit", "x"}, {"store", "redis"}, {"keys", 4}, {"looked_at", 9}})};
  std::vector<std::string> asked;
  std::atomic<bool> ended = false;
  std::thread gateway([&] {
    for (const auto& reply : replies) {
      tcp::iostream stream(door.accept());
      stream.expires_after(std::chrono::seconds(20));
      std::string line;
      std::getline(stream, line);
      asked.push_back(line);
      while (std::getline(stream, line) && line != "\r") continue;
      stream << reply << std::flush;
    }
    ended = true;
  });
  const auto ran = run_headgate(
      {"reset", "x", "--all", "--admin", "http://127.0.0.1:" + std::to_string(door.local_endpoint().port())});
  while (!ended) tcp::iostream(door.local_endpoint());  // a command that gave up must not stop the test
  gateway.join();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "what 7 keys of x had used is forgotten, for all gateways\n");
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_EQ(asked[3], asked[1]) << "where it was";
}

TEST_F(ResetAll, GoesOnAfterAPauseOfRedis) {
  Json changes = limited();
  changes["redis"]["timeout"] = "20ms";
  Proxy proxy(changes);
  const Operator operators(proxy.gateway.process());
  redis_cli(redis.port(), "EVAL \"for i = 1, 300000 do redis.call('SET', 'session:' .. i, '') end\" 0");
  std::thread pausing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    redis_cli(redis.port(), "CLIENT PAUSE 500");
  });
  const auto ran = run_headgate({"reset", "x", "--all", "--json", "--admin", operators.url()});
  pausing.join();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_GE(Json::parse(ran.out)["looked_at"], 300'000);
}

}  // namespace
}  // namespace headgate::test
