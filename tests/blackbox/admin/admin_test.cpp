// Metrics and health of a running gateway, as a scraper and a probe see them.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

const Json kOnAnyPort = {{"admin", {{"listen", "127.0.0.1:0"}}}};

Json merged(Json base, const Json& changes) {
  base.merge_patch(changes);
  return base;
}

Json admin_limited(const std::string& rate, const Json& changes = Json::object()) {
  const Json limits = {{"limits", {{"x", {{"rate", rate}, {"per", "client_ip"}}}}},
                       {"all_routes", {{"limits", {"x"}}}}};
  return merged(merged(kOnAnyPort, limits), changes);
}

std::string decided(const std::string& decision, const std::string& source = "memory") {
  return R"(headgate_limit_decisions_total{limit="x",tier="",decision=")" + decision + R"(",source=")" + source + "\"}";
}

TEST(Admin, CountsRequestsAndDecisionsOfLimits) {
  Proxy proxy(admin_limited("2/day", {{"routes", Json::array({{{"name", "all"}, {"path", "/a/*"}, {"to", "app"}}})}}));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(look.metrics().value(decided("rejected")), 0) << "there before the first";
  auto client = proxy.client();
  EXPECT_EQ(client.get("/a/1").status(), 200);
  EXPECT_EQ(client.get("/a/2", "X-Test-Status: 204\r\n").status(), 204);
  EXPECT_EQ(client.get("/a/3").status(), 429);
  EXPECT_EQ(client.get("/elsewhere").status(), 404);
  // An exchange is counted when it ends, and its caller may see the answer before that.
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.sum("headgate_requests_total") >= 4; }));
  const auto text = look.metrics();
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="all",method="GET",code="200"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="all",method="GET",code="204"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="all",method="GET",code="429"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="-",method="GET",code="404"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_request_duration_seconds_count{route="all"})"), 3);
  EXPECT_EQ(text.value(decided("allowed")), 2);
  EXPECT_EQ(text.value(decided("rejected")), 1);
  EXPECT_EQ(text.value(decided("observed")), 0);
  EXPECT_EQ(text.value(R"(headgate_limit_near_total{limit="x",tier=""})"), 1) << "the second of two left none";
  EXPECT_EQ(text.value(R"(headgate_limit_configured_requests{limit="x",tier="",window="1d"})"), 2);
  EXPECT_EQ(text.value(R"(headgate_limit_tracked_keys{limit="x"})"), 1);
}

TEST(Admin, CountsWhatAnObservedLimitWouldHaveRejected) {
  Proxy proxy(admin_limited("1/day", {{"limits", {{"x", {{"mode", "observe"}}}}}}));
  const Look look(proxy.gateway.process());
  auto client = proxy.client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.value(decided("observed")) == 2; }));
  EXPECT_EQ(look.metrics().value(decided("allowed")), 1);
  EXPECT_EQ(look.metrics().value(decided("rejected")), 0);
}

TEST(Admin, CountsTheUnitsOfALimitBesideItsRequests) {
  Proxy proxy(admin_limited("10/day", {{"all_routes", {{"limits", Json::array({{{"use", "x"}, {"cost", 4}}})}}}}));
  const Look look(proxy.gateway.process());
  auto client = proxy.client();
  for (const int status : {200, 200, 429}) EXPECT_EQ(client.get().status(), status);
  const auto units = [](const MetricsText& now, const std::string& decision) {
    return now.value(R"(headgate_limit_units_total{limit="x",tier="",decision=")" + decision + "\"}");
  };
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return units(now, "rejected") == 4; }));
  EXPECT_EQ(units(look.metrics(), "allowed"), 8);
  EXPECT_EQ(units(look.metrics(), "observed"), 0);
}

TEST(Admin, AddsUpAllWorkers) {
  Proxy proxy(merged(kOnAnyPort, {{"workers", 3}}));
  const Look look(proxy.gateway.process());
  for (int i = 0; i < 40; ++i) EXPECT_EQ(proxy.client().get().status(), 200);  // the kernel spreads the connections
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.sum("headgate_requests_total") == 40; }));
}

TEST(Admin, UsesNoLabelThatACallerChose) {
  Proxy proxy(admin_limited("100/day"));
  const Look look(proxy.gateway.process());
  auto client = proxy.gateway.client("127.0.0.5");
  EXPECT_EQ(client.get("/secret-path?secret-query", "X-API-Key: secret-key\r\n").status(), 200);
  EXPECT_TRUE(client.ask(request("BREW", "/secret-path")).ok());
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.sum("headgate_requests_total") >= 2; }));
  const auto text = look.text();
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  EXPECT_EQ(text.find("BREW"), std::string::npos) << text;
  EXPECT_EQ(text.find("127.0.0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("_OTHER"), std::string::npos) << text;
}

TEST(Admin, ReportsItsVersionAndItsMemory) {
  Proxy proxy(kOnAnyPort);
  const auto text = Look(proxy.gateway.process()).metrics();
  EXPECT_EQ(text.sum("headgate_build_info{version="), 1);
  EXPECT_GT(text.value("process_resident_memory_bytes").value_or(0), 1e6);
  EXPECT_GT(text.value("process_open_fds").value_or(0), 5);
  EXPECT_EQ(text.value("headgate_config_last_reload_successful"), 1);
}

TEST(Admin, PromtoolReadsTheMetrics) {
  if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "no promtool on this machine";
  Proxy proxy(admin_limited("2/day"));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(proxy.client().get().status(), 200);
  const TemporaryFile file(look.text(), "metrics.txt");
  EXPECT_EQ(std::system(("promtool check metrics <" + file.path() + " >&2").c_str()), 0);
}

TEST(Admin, AsksForItsTokenButNotFromProbes) {
  Proxy proxy(merged(kOnAnyPort, {{"admin", {{"token", "a-long-enough-token-of-a-test"}}}}));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(look.get("/metrics").status(), 401);
  EXPECT_EQ(look.get("/metrics", "Authorization: Bearer a-long-enough-token-of-a-tesT\r\n").status(), 401);
  EXPECT_EQ(look.get("/metrics", "Authorization: Bearer a-long-enough-token-of-a-test\r\n").status(), 200);
  EXPECT_EQ(look.get("/healthz").status(), 200);
  EXPECT_EQ(look.get("/readyz").status(), 200);
}

TEST(Admin, AnswersWhenAllClientConnectionsAreTaken) {
  Proxy proxy(merged(kOnAnyPort, {{"bounds", {{"connections", 1}}}}));
  const Look look(proxy.gateway.process());
  auto first = proxy.client();
  ASSERT_TRUE(first.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  EXPECT_EQ(proxy.client().get().status(), 503) << "who is served gives no place up";
  EXPECT_EQ(look.get("/healthz").status(), 200);
  proxy.upstream.release();
  EXPECT_EQ(first.read().status(), 200);
}

TEST(Admin, IsNotReadyButAliveWhileItDrains) {
  Proxy proxy(merged(kOnAnyPort, {{"drain", "10s"}}));
  const Look look(proxy.gateway.process());
  EXPECT_TRUE(look.status_comes_to("/readyz", 200));
  auto client = proxy.client();
  ASSERT_TRUE(client.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  proxy.gateway.process().signal(SIGTERM);
  EXPECT_TRUE(look.status_comes_to("/readyz", 503));
  EXPECT_NE(look.get("/readyz").body.find("draining"), std::string::npos);
  EXPECT_EQ(look.get("/healthz").status(), 200);
  proxy.upstream.release();
  EXPECT_EQ(client.read().status(), 200) << "what was in flight is finished";
  EXPECT_EQ(proxy.gateway.process().wait(), 0);
}

TEST(Admin, SaysWhereItIsInTheLog) {
  Proxy proxy(merged(kOnAnyPort, {{"log", {{"format", "json"}}}}));
  const auto port = admin_port(proxy.gateway.process());
  EXPECT_NE(port, 0);
  EXPECT_TRUE(proxy.gateway.process().says(R"("event":"admin_listening")"));
}

TEST(Admin, AnAddressThatIsTakenIsAnErrorIfItIsConfigured) {
  const Socket taken = Socket::listen();
  FakeUpstream upstream;
  const auto address = "127.0.0.1:" + std::to_string(taken.local_port());
  const TemporaryFile file(config_for(upstream, {{"admin", {{"listen", address}}}}).dump());
  const auto ran = run_headgate({"run", "-c", file.path()});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_NE(ran.err.find("the admin interface cannot listen on " + address), std::string::npos) << ran.err;
}

TEST(Admin, CountersOutliveAReloadAndABadFileShows) {
  FakeUpstream upstream;
  const TemporaryFile file(config_for(upstream, admin_limited("3/day")).dump());
  Gateway gateway(Words{"run", "-c", file.path()});
  const Look look(gateway.process());
  EXPECT_EQ(gateway.client().get().status(), 200);
  std::ofstream(file.path(), std::ios::trunc) << config_for(upstream, admin_limited("50/day")).dump();
  gateway.process().signal(SIGHUP);
  ASSERT_TRUE(look.comes_to(
      [](const MetricsText& now) { return now.value(R"(headgate_config_reloads_total{result="applied"})") == 1; }));
  EXPECT_EQ(gateway.client().get().status(), 200);
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.value(decided("allowed")) == 2; }));
  EXPECT_EQ(look.metrics().value(R"(headgate_limit_configured_requests{limit="x",tier="",window="1d"})"), 50);

  std::ofstream(file.path(), std::ios::trunc) << "{ not a configuration";
  gateway.process().signal(SIGHUP);
  ASSERT_TRUE(look.comes_to(
      [](const MetricsText& now) { return now.value(R"(headgate_config_reloads_total{result="refused"})") == 1; }));
  EXPECT_EQ(look.metrics().value("headgate_config_last_reload_successful"), 0);
  EXPECT_EQ(gateway.client().get().status(), 200);
}

class AdminWithRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
    node = "127.0.0.1:" + std::to_string(redis.port());
  }
  Json shared(const std::string& if_down) const {
    return admin_limited("1000/day", {{"redis", {{"url", "redis://" + node}, {"if_down", if_down}}}});
  }
  std::string of_node(const std::string& family, const std::string& more = "") const {
    return family + "{node=\"" + node + "\"" + more + "}";
  }

  RedisServer redis;
  std::string node;
};

TEST_F(AdminWithRedis, TellsOfItsServerAndOfWhatIsDecidedWithoutIt) {
  Proxy proxy(shared("count_locally"));
  const Look look(proxy.gateway.process());
  ASSERT_TRUE(look.comes_to([&](const MetricsText& now) { return now.value(of_node("headgate_redis_up")) == 1; }));
  EXPECT_EQ(proxy.client().get().status(), 200);
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.value(decided("allowed", "redis")) == 1; }));
  auto text = look.metrics();
  EXPECT_EQ(text.value(of_node("headgate_redis_commands_total", R"(,result="decided")")), 1);
  EXPECT_EQ(text.value(of_node("headgate_redis_command_seconds_count")), 1);
  EXPECT_EQ(text.value(R"(headgate_limit_fallback_active{limit="x"})"), 0);
  EXPECT_TRUE(wait_until([&] { return look.get("/readyz").body == "ready\n"; })) << look.get("/readyz").body;

  redis.stop();
  ASSERT_TRUE(look.comes_to([&](const MetricsText& now) { return now.value(of_node("headgate_redis_up")) == 0; }));
  EXPECT_EQ(proxy.client().get().status(), 200);
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.value(decided("allowed", "fallback")) == 1; }));
  EXPECT_EQ(look.metrics().value(R"(headgate_limit_fallback_active{limit="x"})"), 1);
  EXPECT_TRUE(wait_until([&] { return look.get("/readyz").body.find("degraded") != std::string::npos; }));
  EXPECT_EQ(look.get("/readyz").status(), 200);

  ASSERT_TRUE(redis.start()) << redis.error();
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) {
    return now.value(of_node("headgate_redis_up")) == 1 && now.value(of_node("headgate_redis_reconnects_total")) == 1;
  }));
}

TEST_F(AdminWithRedis, SaysWhereKeysAreAndWhatLimitsDoWithoutIt) {
  auto config = shared("count_locally");
  config["redis"]["instances"] = 4;
  Proxy proxy(config);
  const auto port = admin_port(proxy.gateway.process());
  const auto admin = "http://127.0.0.1:" + std::to_string(port);
  const Look look(proxy.gateway.process());
  ASSERT_TRUE(wait_until([&] { return look.get("/readyz").body == "ready\n"; }));
  EXPECT_EQ(proxy.client().get().status(), 200);
  const auto limits = run_headgate({"limits", "--admin", admin});
  EXPECT_NE(limits.out.find("in Redis"), std::string::npos) << limits.out;
  const auto one = run_headgate({"limits", "x", "--admin", admin});
  EXPECT_NE(one.out.find("keys          in Redis\n"), std::string::npos) << one.out;
  redis.stop();
  std::string status;
  EXPECT_TRUE(wait_until([&] {
    status = run_headgate({"status", "--admin", admin}).out;
    return status.find("limit \"x\" is counted by this gateway alone, 1/4 of each size") != std::string::npos;
  })) << status;
  EXPECT_EQ(status.find("type: headgate status"), std::string::npos) << "which was just typed";
}

TEST_F(AdminWithRedis, IsDegradedWithoutItWhereALimitRejectsUnlessTheConfigurationWantsMore) {
  auto config = shared("reject");
  Proxy serves(config);
  config["redis"]["unready_without_redis"] = true;
  Proxy leaves(config);
  const Look served(serves.gateway.process());
  const Look left(leaves.gateway.process());
  ASSERT_TRUE(wait_until([&] { return served.get("/readyz").body == "ready\n"; }));
  ASSERT_TRUE(left.status_comes_to("/readyz", 200));
  redis.stop();
  EXPECT_TRUE(left.status_comes_to("/readyz", 503));
  EXPECT_NE(left.get("/readyz").body.find("Redis does not answer"), std::string::npos);
  EXPECT_TRUE(wait_until([&] {
    return served.get("/readyz").body.find("ready, but degraded: Redis does not answer; ") == 0;
  })) << served.get("/readyz").body;
  EXPECT_EQ(served.get("/readyz").status(), 200);
  ASSERT_TRUE(redis.start()) << redis.error();
  EXPECT_TRUE(left.status_comes_to("/readyz", 200));
}

TEST_F(AdminWithRedis, IsDegradedWithoutItWhereAWaitingRoomAdmitsNobodyNew) {
  const Json room = {{"rate", "1000/second"}, {"secret", "0123456789abcdef0123456789abcdef"}};
  Json config =
      merged(kOnAnyPort, {{"redis", {{"url", "redis://" + node}, {"timeout", "300ms"}}},
                          {"waiting_rooms", {{"sale", merged(room, {{"if_redis_down", "reject"}})}}},
                          {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"waiting_room", "sale"}}})}});
  Proxy closes(config);
  config["waiting_rooms"]["sale"].erase("if_redis_down");
  Proxy goes_on(config);
  const Look closed(closes.gateway.process());
  const Look open(goes_on.gateway.process());
  ASSERT_TRUE(wait_until([&] { return closed.get("/readyz").body == "ready\n"; }));
  redis.stop();
  EXPECT_TRUE(wait_until([&] {
    return closed.get("/readyz").body.find("waiting room \"sale\" admits no new callers") != std::string::npos;
  })) << closed.get("/readyz").body;
  EXPECT_EQ(closed.get("/readyz").status(), 200);
  EXPECT_EQ(closes.client().get().status(), 429);
  EXPECT_TRUE(wait_until([&] { return goes_on.client().get().status() == 200; }));
  EXPECT_TRUE(wait_until([&] { return open.get("/readyz").body == "ready, but degraded: Redis does not answer\n"; }));
  ASSERT_TRUE(redis.start()) << redis.error();
  EXPECT_TRUE(wait_until([&] { return closed.get("/readyz").body == "ready\n"; }));
}

}  // namespace
}  // namespace headgate::test
