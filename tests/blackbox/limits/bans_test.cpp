// Suspended callers: refused before anything is counted, on every gateway, until an operator lifts it or its time is
// over.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/limits/comes.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Two answers with 404 suspend an address.
Json banning(const std::string& length = "10m", const Json& changes = Json::object()) {
  const Json ban = {{"after", 2}, {"for", length}, {"status", {404}}};
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"limits", {{"scan", {{"rate", "1000/second"}, {"per", "client_ip"}, {"ban", ban}}}}},
              {"all_routes", {{"limits", {"scan"}}}}};
  out.merge_patch(changes);
  return out;
}

const std::string kMissing = "X-Test-Status: 404\r\n";

void offend(const Proxy& proxy, const std::string& source = "127.0.0.1") {
  auto client = proxy.client(source);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(client.get("/missing", kMissing).status(), 404);
}

class BanOperator {
 public:
  explicit BanOperator(Proxy& proxy) : port_(admin_port(proxy.gateway.process())) {}
  Message ask(const std::string& method, const std::string& path, const std::string& body = "",
              const std::string& fields = "") const {
    const auto length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return RawClient(port_).ask(method + " /api/v1/bans" + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + length +
                                "\r\n" + body);
  }
  Json list() const { return Json::parse(ask("GET", "").body).at("bans"); }

 private:
  std::uint16_t port_;
};

TEST(Bans, OfAPolicyThatIsTriedOnTheLastMinutesAreNoEventsOfThisGateway) {
  const Json log = {{"log", {{"format", "json"}, {"access", "stdout"}}}};
  Proxy proxy(banning("10m", log));
  auto& process = proxy.gateway.process();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of(proxy), 200);
  Json tried = config_for(proxy.upstream, banning("10m", log));
  tried["limits"]["scan"] = {{"rate", "1/day"}, {"per", "client_ip"}, {"ban", {{"after", 1}, {"for", "10m"}}}};
  const auto text = tried.dump();
  Message answer;
  EXPECT_TRUE(comes(kPatience, [&] {
    answer =
        RawClient(admin_port(process))
            .ask("POST /api/v1/simulate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(text.size()) +
                 "\r\n\r\n" + text);
    return answer.status() == 200;
  })) << answer.body;
  EXPECT_EQ(process.err().find("\"suspended\""), std::string::npos) << process.err();
  EXPECT_TRUE(BanOperator(proxy).list().empty());
}

TEST(Bans, AreEventsWithOneLevelAndTheNumberOfEarlierOnes) {
  Proxy proxy(banning("10m", {{"log", {{"format", "json"}}}}));
  offend(proxy);
  const auto told = [](const std::string& log) { return has(log, R"("reason":"statuses","earlier":0})"); };
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(told)) << proxy.gateway.process().err();
}

TEST(Bans, RefuseAnAddressAfterAnswersThatAreOffences) {
  Proxy proxy(banning());
  const Look look(proxy.gateway.process());
  EXPECT_EQ(look.metrics().value(R"(headgate_bans_total{limit="scan",reason="statuses"})"), 0)
      << "so that the first one is a rise";
  offend(proxy);
  ASSERT_TRUE(comes(kPatience, [&] { return status_of(proxy) == 429; }));
  const auto before = proxy.upstream.request_count();
  const Message refused = proxy.client().get();
  expect_problem(refused, 429);
  EXPECT_NE(refused.body.find("suspended"), std::string::npos) << refused.body;
  const auto told = Json::parse(refused.body, nullptr, false);
  EXPECT_EQ(told.value("type", ""), "https://iana.org/assignments/http-problem-types#abnormal-usage-detected");
  EXPECT_EQ(told.value("violated-policies", Json()), Json({"scan"}));
  const auto wait = std::stoi(refused.value("Retry-After"));
  EXPECT_GT(wait, 590);
  EXPECT_LE(wait, 600);
  EXPECT_EQ(proxy.upstream.request_count(), before);
  EXPECT_EQ(status_of(proxy, "127.0.0.2"), 200) << "another address";
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) {
    return now.value(R"(headgate_ban_decisions_total{limit="scan",decision="refused"})") >= 2 &&
           now.value(R"(headgate_bans_active{limit="scan"})") == 1 &&
           now.value(R"(headgate_bans_total{limit="scan",reason="statuses"})") == 1;
  }));
}

Json closing(const Json& changes) {
  Json out = banning("10m", {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
                             {"log", {{"format", "json"}, {"access", "stderr"}}},
                             {"limits", {{"scan", {{"ban", {{"answer", "close"}}}}}}}});
  out.merge_patch(changes);
  return out;
}

TEST(Bans, CloseTheConnectionWithoutAnAnswerWhereTheFileSaysSo) {
  Proxy proxy(closing(Json::object()));
  offend(proxy);
  EXPECT_TRUE(comes(kPatience, [&] {
    auto client = proxy.client();
    client.send(request("GET", "/"));
    return client.closes();
  }));
  const auto before = proxy.upstream.request_count();
  H2Client client(proxy.gateway.port());
  for (const std::uint32_t stream : {1U, 3U}) {
    const auto answer = client.ask(stream, h2_get());
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.reset, 11U) << "ENHANCE_YOUR_CALM, of this stream alone";
  }
  EXPECT_FALSE(client.goaway);
  EXPECT_EQ(proxy.upstream.request_count(), before);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return has(log, R"("status":444,"ended_by":"ban")");
  })) << proxy.gateway.process().err();
  const Look look(proxy.gateway.process());
  EXPECT_TRUE(look.comes_to([](const MetricsText& metrics) {
    return metrics.value(R"(headgate_ban_decisions_total{limit="scan",decision="refused"})") >= 3;
  }));
}

TEST(Bans, CloseNoConnectionOfATrustedProxy) {
  Proxy proxy(closing({{"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}}}));
  const std::string mallory = "X-Forwarded-For: 203.0.113.7\r\n";
  auto shared = proxy.client();
  for (int i = 0; i < 2; ++i) ASSERT_EQ(shared.get("/missing", mallory + kMissing).status(), 404);
  const auto refused = shared.get("/", mallory);
  EXPECT_EQ(refused.status(), 429);
  EXPECT_EQ(refused.value("Retry-After"), "600");
  EXPECT_EQ(shared.get("/", "X-Forwarded-For: 203.0.113.8\r\n").status(), 200) << "on the same connection";
  H2Client streams(proxy.gateway.port());
  EXPECT_EQ(streams.ask(1, h2_get("/", {{"x-forwarded-for", "203.0.113.7"}})).reset, 11U);
  EXPECT_EQ(streams.ask(3, h2_get("/", {{"x-forwarded-for", "203.0.113.8"}})).status, 200);
}

TEST(Bans, EndWhenRetryAfterSays) {
  Proxy proxy(banning("4s"));
  offend(proxy);
  ASSERT_TRUE(comes(kPatience, [&] { return status_of(proxy) == 429; }));
  const auto wait = std::stoi(proxy.client().get().value("Retry-After"));
  std::this_thread::sleep_for(std::chrono::seconds(wait));
  EXPECT_EQ(status_of(proxy), 200);
}

TEST(Bans, AreListedAddedAndLiftedByAnOperator) {
  Proxy proxy(banning());
  const BanOperator admin(proxy);
  EXPECT_TRUE(admin.list().empty());
  const auto added = admin.ask("POST", "", R"({"limit": "scan", "key": "127.0.0.1", "for": "1h"})");
  EXPECT_EQ(added.status(), 201) << added.body;
  EXPECT_EQ(status_of(proxy), 429);
  const auto list = admin.list();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].at("key"), "127.0.0.1");
  EXPECT_EQ(list[0].at("reason"), "operator");
  EXPECT_GT(list[0].at("seconds_left").get<int>(), 3590);
  EXPECT_EQ(admin.ask("DELETE", "?limit=scan&key=127.0.0.1").status(), 200);
  EXPECT_EQ(status_of(proxy), 200);
  EXPECT_EQ(admin.ask("DELETE", "?limit=scan&key=127.0.0.1").status(), 404);
}

TEST(Bans, SayWhatIsWrongWithAnOperatorsCall) {
  Proxy proxy(banning("10m", {{"limits", {{"scan", {{"exempt", {{"client_ip", {"127.0.0.3"}}}}}}}}}));
  const BanOperator admin(proxy);
  EXPECT_EQ(admin.ask("POST", "", "{").status(), 400);
  EXPECT_EQ(admin.ask("POST", "", R"({"limit": "scan", "key": "someone"})").status(), 400) << "no address";
  EXPECT_EQ(admin.ask("POST", "", R"({"limit": "scan", "key": "127.0.0.1", "for": "40d"})").status(), 400);
  EXPECT_EQ(admin.ask("POST", "", R"({"limit": "scan", "key": "127.0.0.1/8"})").status(), 400) << "no block";
  EXPECT_EQ(admin.ask("DELETE", "?limit=scan&key=a&key=b").status(), 400) << "which of both?";
  EXPECT_EQ(admin.ask("POST", "", R"({"limit": "scan", "key": "127.0.0.3"})").status(), 409) << "exempt";
  const auto unknown = admin.ask("POST", "", R"({"limit": "other", "key": "127.0.0.1"})");
  EXPECT_EQ(unknown.status(), 404);
  EXPECT_NE(unknown.body.find("scan"), std::string::npos) << "it names those that there are: " << unknown.body;
  EXPECT_EQ(admin.ask("DELETE", "?limit=scan").status(), 400);
  EXPECT_EQ(
      admin.ask("POST", "", R"({"limit": "scan", "key": "127.0.0.1"})", "Origin: http://evil.example\r\n").status(),
      403)
      << "a page in the operator's browser";
}

TEST(Bans, OutliveAReload) {
  Proxy proxy(banning());
  offend(proxy);
  ASSERT_TRUE(comes(kPatience, [&] { return status_of(proxy) == 429; }));
  proxy.gateway.process().signal(SIGHUP);
  ASSERT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& err) { return err.find("config_reloaded") != std::string::npos; }));
  EXPECT_EQ(status_of(proxy), 429);
}

TEST(Bans, AreToldToTheWebhookOnceEach) {
  FakeUpstream receiver;
  const Json hook = {{"url", "http://127.0.0.1:" + std::to_string(receiver.port()) + "/in"},
                     {"secret", "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}};
  Proxy proxy(banning("10m", {{"webhook", hook}}));
  offend(proxy);
  ASSERT_TRUE(receiver.wait_for_requests(1));
  ASSERT_TRUE(comes(kPatience, [&] { return status_of(proxy) == 429; }));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of(proxy), 429);
  const Message told = receiver.last().message;
  EXPECT_EQ(told.value("webhook-signature").substr(0, 3), "v1,") << told.head;
  EXPECT_EQ(told.value("webhook-id").substr(0, 4), "ban_");
  const auto body = Json::parse(told.body);
  EXPECT_EQ(body.at("type"), "caller.suspended");
  EXPECT_EQ(body.at("data").at("limit"), "scan");
  EXPECT_EQ(body.at("data").at("key"), "127.0.0.1");
  EXPECT_EQ(body.at("data").at("seconds_left"), 600);
  EXPECT_EQ(receiver.request_count(), 1u);
}

class BansInRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json shared(const Json& more = Json::object()) const {
    Json changes = {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}}};
    changes.merge_patch(more);
    return banning("10m", changes);
  }
  RedisServer redis;
};

TEST_F(BansInRedis, HoldOnEveryGatewayWithinASecond) {
  Proxy one(shared());
  Proxy two(shared());
  offend(one);
  ASSERT_TRUE(comes(kPatience, [&] { return status_of(one) == 429; }));
  EXPECT_TRUE(comes(std::chrono::seconds(1), [&] { return status_of(two) == 429; }));
  EXPECT_EQ(BanOperator(two).list().at(0).at("key"), "127.0.0.1");
  EXPECT_EQ(BanOperator(two).ask("DELETE", "?limit=scan&key=127.0.0.1").status(), 200);
  EXPECT_TRUE(comes(std::chrono::seconds(1), [&] { return status_of(one) == 200; }));
}

TEST_F(BansInRedis, CountOffencesOfAllGatewaysTogether) {
  Proxy one(shared());
  Proxy two(shared());
  EXPECT_EQ(one.client().get("/missing", kMissing).status(), 404);
  EXPECT_EQ(two.client().get("/missing", kMissing).status(), 404);
  EXPECT_TRUE(comes(kPatience, [&] { return status_of(one) == 429 && status_of(two) == 429; }));
}

TEST_F(BansInRedis, ReturnIntoARedisThatWasEmptied) {
  Proxy one(shared());
  Proxy two(shared());
  offend(one);
  ASSERT_TRUE(comes(kPatience, [&] { return status_of(two) == 429; }));
  RedisClient(redis.port()).text({"FLUSHALL"});
  ASSERT_TRUE(comes(kPatience, [&] { return RedisClient(redis.port()).text({"XLEN", "hg:v1:{bans}"}) != "0"; }));
  Proxy late(shared());
  EXPECT_EQ(status_of(late), 429) << "its first request";
  EXPECT_EQ(status_of(one), 429);
}

TEST_F(BansInRedis, AreToldByTheRejectionThatBeginsThem) {
  auto config = shared();
  config["limits"]["scan"] = {
      {"rate", "1/minute"}, {"per", "client_ip"}, {"store", "redis"}, {"ban", {{"after", 1}, {"for", "5m"}}}};
  Proxy proxy(config);
  auto client = proxy.client();
  EXPECT_EQ(client.get().status(), 200);
  const Message told = client.get();
  ASSERT_EQ(told.status(), 429);
  EXPECT_NE(told.body.find("Requests"), std::string::npos);
  EXPECT_GT(std::stoi(told.value("Retry-After")), 290) << "and not the minute of the limit";
}

TEST_F(BansInRedis, OutliveAKilledGateway) {
  {
    Proxy killed(shared());
    killed.gateway.expect_any_end();
    offend(killed);
    Proxy other(shared());
    ASSERT_TRUE(comes(kPatience, [&] { return status_of(other) == 429; })) << "it is in Redis";
    killed.gateway.process().kill9();
  }
  Proxy next(shared());
  EXPECT_EQ(status_of(next), 429) << "its first request";
}

Json flooded(const Json& limit = Json::object()) {
  Json flood = {{"rate", "2/day"}, {"per", "client_ip"}};
  flood.merge_patch(limit);
  return {{"admin", {{"listen", "127.0.0.1:0"}}},
          {"limits", {{"flood", flood}}},
          {"all_routes", {{"limits", {"flood"}}}},
          {"log", {{"access", "stdout"}, {"format", "json"}}}};
}

TEST(Bans, TakeTheIdThatTopAndTheLogPrintForTheCallerBehindIt) {
  Proxy proxy(flooded({{"per", "header:X-Tenant"}, {"if_absent", "skip"}}));
  const Look look(proxy.gateway.process());
  const BanOperator op(proxy);
  const std::string tenant = "X-Tenant: secret-tenant\r\n";
  for (int i = 0; i < 4; ++i) proxy.client().get("/", tenant);
  std::string id;
  ASSERT_TRUE(comes(kPatience, [&] {
    const auto told = Json::parse(look.get("/api/v1/limits/flood/top").body);
    if (told["keys"].empty()) return false;
    id = told["keys"][0]["key_id"];
    return true;
  }));
  // What it has used is told under the same name, and not under the name that it hides.
  const auto used = look.get("/api/v1/limits/flood/keys/" + id);
  ASSERT_EQ(used.status(), 200) << used.body;
  EXPECT_EQ(Json::parse(used.body)["rules"][0]["used"], 2);
  EXPECT_EQ(Json::parse(used.body)["key"], id);
  const auto made = op.ask("POST", "", Json{{"limit", "flood"}, {"key", id}, {"for", "1h"}}.dump());
  ASSERT_EQ(made.status(), 201) << made.body;
  EXPECT_EQ(Json::parse(made.body)["key"], id);
  EXPECT_FALSE(Json::parse(made.body).contains("warning")) << made.body;
  const auto refused = proxy.client().get("/", tenant);
  EXPECT_EQ(refused.status(), 429);
  EXPECT_NE(refused.body.find("suspended"), std::string::npos) << refused.body;
  EXPECT_EQ(op.ask("DELETE", "?limit=flood&key=" + id).status(), 200);
  EXPECT_EQ(proxy.client().get("/", tenant).body.find("suspended"), std::string::npos);
}

TEST(Bans, RefuseAnIdThatNobodyKnowsInPlaceOfSuspendingNobody) {
  Proxy proxy(flooded());
  const Look look(proxy.gateway.process());
  const BanOperator op(proxy);
  const std::string id = "k_0123456789abcdef";
  const auto answer = op.ask("POST", "", Json{{"limit", "flood"}, {"key", id}, {"for", "1h"}}.dump());
  EXPECT_EQ(answer.status(), 404);
  EXPECT_NE(answer.body.find("does not know"), std::string::npos) << answer.body;
  EXPECT_EQ(look.get("/api/v1/limits/flood/keys/" + id).status(), 404);
  EXPECT_TRUE(op.list().empty());
}

TEST(Bans, HoldForABlockOfAddressesUnderALimitThatSuspendsNobody) {
  Proxy proxy(flooded({{"rate", "1000/day"}}));
  const BanOperator op(proxy);
  const auto add = [&](const std::string& key) {
    return op.ask("POST", "", Json{{"limit", "flood"}, {"key", key}, {"for", "1h"}}.dump());
  };
  ASSERT_EQ(status_of(proxy, "127.0.0.5"), 200);
  const auto made = add("127.0.0.4/30");
  ASSERT_EQ(made.status(), 201) << made.body;
  EXPECT_EQ(status_of(proxy, "127.0.0.5"), 429);
  EXPECT_EQ(status_of(proxy, "127.0.0.7"), 429);
  EXPECT_EQ(status_of(proxy, "127.0.0.8"), 200);
  EXPECT_EQ(op.list().at(0)["key"], "127.0.0.4/30");
  const auto wrong = add("127.0.0.5/30");
  EXPECT_EQ(wrong.status(), 400);
  EXPECT_NE(wrong.body.find("127.0.0.4/30"), std::string::npos) << wrong.body;
  EXPECT_EQ(op.ask("POST", "", R"({"limit": "flood", "key": "127.0.0.9"})").status(), 400) << "for how long?";
  EXPECT_EQ(op.ask("DELETE", "?limit=flood&key=127.0.0.4/30").status(), 200);
  EXPECT_EQ(status_of(proxy, "127.0.0.5"), 200);
}

TEST(Bans, WarnOfAKeyThatNobodyHasUsed) {
  Proxy proxy(flooded());
  const BanOperator op(proxy);
  ASSERT_EQ(status_of(proxy, "127.0.0.5"), 200);
  const auto add = [&](const std::string& key) {
    return Json::parse(op.ask("POST", "", Json{{"limit", "flood"}, {"key", key}, {"for", "1h"}}.dump()).body);
  };
  EXPECT_FALSE(add("127.0.0.5").contains("warning"));
  EXPECT_TRUE(add("127.0.0.6").contains("warning"));
}

TEST_F(BansInRedis, OfABlockHoldAtAllGatewaysUnderALimitThatSuspendsNobody) {
  const auto config = [&] {
    auto out = shared();
    out["limits"]["scan"].erase("ban");
    return out;
  };
  Proxy one(config());
  Proxy two(config());
  const BanOperator op(one);
  ASSERT_EQ(status_of(two, "127.0.0.5"), 200);
  const auto made = op.ask("POST", "", R"({"limit": "scan", "key": "127.0.0.0/29", "for": "1h"})");
  ASSERT_EQ(made.status(), 201) << made.body;
  EXPECT_TRUE(comes(kPatience, [&] { return status_of(two, "127.0.0.5") == 429; }));
  EXPECT_EQ(status_of(two, "127.0.0.9"), 200);
}

}  // namespace
}  // namespace headgate::test
