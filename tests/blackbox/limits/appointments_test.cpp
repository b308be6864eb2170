// Appointments over two gateways and one Redis.

#include "blackbox/harness/gateway.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <thread>

namespace headgate::test {
namespace {

const std::string kAppointmentKey = "0123456789abcdef0123456789abcdef";

Json appointing(const Json& limit, const Json& changes = Json::object()) {
  Json out = {
      {"signing", {{"keys", {kAppointmentKey}}}}, {"limits", {{"x", limit}}}, {"all_routes", {{"limits", {"x"}}}}};
  out.merge_patch(changes);
  return out;
}

/// One at once, and one more each second.
Json slow() { return {{"rate", "1/second"}, {"per", "client_ip"}, {"appointments", {{"width", "5s"}}}}; }

std::string kept(const Message& rejected) { return "Appointment: " + rejected.value("Appointment") + "\r\n"; }

void sleep_for(const Message& rejected) {
  std::this_thread::sleep_for(std::chrono::seconds(std::stoi(rejected.value("Retry-After"))));
}

TEST(Appointments, LetThroughWhoComesBackAndTellTheOthersWhen) {
  Proxy proxy(appointing(slow()));
  RawClient client = proxy.client();
  ASSERT_EQ(client.get().status(), 200);
  const Message first = client.get();
  expect_problem(first, 429);
  const Message second = client.get();
  EXPECT_EQ(first.value("Retry-After"), "1");
  EXPECT_EQ(second.value("Retry-After"), "2");
  const auto problem = Json::parse(first.body);
  ASSERT_TRUE(problem.contains("appointment")) << problem;
  EXPECT_TRUE(first.value("Appointment").starts_with(problem["appointment"]["token"].get<std::string>() + ";from="));
  EXPECT_GT(problem["appointment"]["until"], problem["appointment"]["from"]);
  EXPECT_EQ(client.get("/", kept(first)).status(), 429) << "early";
  sleep_for(first);
  EXPECT_EQ(client.get("/", kept(first)).status(), 200);
  EXPECT_EQ(client.get("/", kept(first)).status(), 429) << "once";
}

class SharedAppointments : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json in_redis(const Json& limit) const {
    return appointing(
        limit,
        {{"redis",
          {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "5s"}, {"if_down", "reject"}}}});
  }
  RedisServer redis;
};

TEST_F(SharedAppointments, OfOneGatewayAreKeptAtTheOtherAndOnlyOnce) {
  Proxy one(in_redis(slow()));
  Proxy two(in_redis(slow()));
  ASSERT_EQ(one.client().get().status(), 200);
  const Message first = two.client().get();
  const Message second = one.client().get();
  ASSERT_EQ(first.status(), 429);
  EXPECT_LT(std::stoi(first.value("Retry-After")), std::stoi(second.value("Retry-After"))) << "one line for both";
  sleep_for(first);
  EXPECT_EQ(one.client().get("/", kept(first)).status(), 200);
  EXPECT_EQ(two.client().get("/", kept(first)).status(), 429);
  EXPECT_EQ(one.client().get("/", kept(first)).status(), 429);
  std::this_thread::sleep_for(Milliseconds(1000));
  EXPECT_EQ(two.client().get("/", kept(second)).status(), 200);
}

TEST_F(SharedAppointments, OutliveAReloadWithANewKey) {
  FakeUpstream upstream;
  Json config = config_for(upstream, in_redis(slow()));
  config["log"]["format"] = "json";
  const TemporaryFile file(config.dump(2));
  Gateway gateway(Words{"run", "-c", file.path()});
  RawClient client = gateway.client();
  ASSERT_EQ(client.get().status(), 200);
  const Message old = client.get();
  ASSERT_EQ(old.status(), 429);
  config["signing"]["keys"] = {"another key that is at least 32 bytes long", kAppointmentKey};
  std::ofstream(file.path(), std::ios::trunc) << config.dump(2);
  gateway.process().signal(SIGHUP);
  ASSERT_TRUE(gateway.process().wait_for_err(
      [](const std::string& text) { return text.find("config_reloaded") != std::string::npos; }));
  sleep_for(old);
  EXPECT_EQ(client.get("/", kept(old)).status(), 200);
}

}  // namespace
}  // namespace headgate::test
