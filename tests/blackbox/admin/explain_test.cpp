// headgate explain and headgate routes, and the same asked of a running gateway.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const char* const kFile = R"({
  "listen": "127.0.0.1:0",
  "admin": { "listen": "127.0.0.1:0" },
  "identity": {
    "trusted_proxies": ["10.0.0.0/8"]
  },
  "upstreams": { "app": "http://127.0.0.1:9" },
  "limits": { "per-ip": { "rate": "3/hour", "per": "client_ip" },
              "tenant": { "rate": "5/hour", "per": "header:X-Tenant", "if_absent": "skip" } },
  "all_routes": { "limits": ["per-ip"] },
  "routes": [
    { "name": "all", "path": "/*", "to": "app", "limits": ["tenant"] },
    { "name": "orders", "path": "/v1/orders/{id}", "methods": ["GET"], "to": "app" },
    { "name": "other-host", "host": "b.example", "path": "/v1/*", "to": "app" },
    { "name": "health", "path": "/healthz", "respond": { "status": 204 }, "skip_limits": ["per-ip"] }
  ]
})";

TEST(Explain, WithoutAGatewayTellsTheRouteAndWhyTheOthersLost) {
  const TemporaryFile file(kFile);
  const Ran ran = run_headgate({"explain", "GET", "http://a.example/v1/orders/7?x=1", "-c", file.path(), "--ip",
                                "10.1.1.1", "-H", "X-Forwarded-For: 198.51.100.7", "-H", "X-Tenant: top-secret"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("request   GET /v1/orders/7 at a.example\n"
                                 "outcome   passes, and goes to the upstream\n"
                                 "route     orders (/v1/orders/{id}), to upstream app\n"
                                 "          not all: it fits too, and another route is more specific\n"
                                 "          not other-host: its host is b.example\n"
                                 "          not health: its path is /healthz\n"
                                 "caller    198.51.100.7, named by 1 trusted hop\n"));
  EXPECT_THAT(ran.out, HasSubstr("per-ip"));
  EXPECT_THAT(ran.out, HasSubstr("No gateway was asked: all of every limit is left, and nobody is suspended.\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("top-secret")));
}

TEST(Explain, TellsARefusalAndItsReason) {
  const TemporaryFile file(kFile);
  const Ran ran = run_headgate({"explain", "PATCH", "http://a.example/v1/orders/7", "-c", file.path()});
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("route     all (/*), to upstream app\n"), HasSubstr("not orders: its methods are GET\n")))
      << ran.err;
  const Ran fixed = run_headgate({"explain", "GET", "/healthz", "-c", file.path()});
  EXPECT_THAT(fixed.out, HasSubstr("outcome   passes, and is answered by the gateway with 204\n"));
  const Ran broken = run_headgate({"explain", "GET", "/a%zz", "-c", file.path()});
  EXPECT_THAT(broken.out, HasSubstr("outcome   is refused with 400 (bad_request)\n"));
  EXPECT_EQ(broken.code, 0) << "the question was answered";
}

TEST(Explain, TellsTheSharesWhereChanceDecides) {
  const TemporaryFile file(R"({ "listen": "127.0.0.1:0",
    "upstreams": { "app": { "servers": ["http://127.0.0.1:1"] }, "next": { "servers": ["http://127.0.0.1:2"] } },
    "routes": [{ "name": "all", "path": "/*",
                 "to": [{ "upstream": "app", "weight": 199 }, { "upstream": "next", "weight": 1 }] }] })");
  const Ran ran = run_headgate({"explain", "GET", "/x", "-c", file.path()});
  EXPECT_THAT(ran.out, HasSubstr("route     all (/*), by chance to app (99.5 %) or next (0.5 %)\n")) << ran.err;
  const Ran json = run_headgate({"explain", "GET", "/x", "-c", file.path(), "--json"});
  EXPECT_EQ(Json::parse(json.out).at("route"), Json::parse(R"({ "name": "all", "path": "/*",
    "by_chance": [{ "to": "app", "share": 0.995 }, { "to": "next", "share": 0.005 }] })"));
}

TEST(Explain, SaysWhatIsNotAskedAndWhatMayBecomeOfTheAnswer) {
  const TemporaryFile file(R"({ "listen": "127.0.0.1:0",
    "upstreams": { "app": "http://127.0.0.1:1", "auth": "http://127.0.0.1:2" },
    "waiting_rooms": { "sale": { "rate": "1/second", "secret": "0123456789abcdef0123456789abcdef" } },
    "routes": [{ "path": "/*", "to": "app", "compress": true, "waiting_room": "sale",
                 "auth": { "url": "http://auth/check" } }] })");
  const Words words{"explain", "GET", "/x", "-H", "Accept-Encoding: br", "-c", file.path()};
  const Ran ran = run_headgate(words);
  EXPECT_THAT(ran.out, HasSubstr("outcome   passes, and goes to the upstream; its answer may be compressed: br; its "
                                 "waiting room is not asked; its auth service is not asked: http://auth/check\n"))
      << ran.err;
  auto as_json = words;
  as_json.emplace_back("--json");
  const auto outcome = Json::parse(run_headgate(as_json).out).at("outcome");
  EXPECT_EQ(outcome.at("may_be_compressed_as"), "br");
  EXPECT_EQ(outcome.at("waiting_room_decides_too"), true);
  EXPECT_EQ(outcome.at("auth_service_decides_too"), "http://auth/check");
  EXPECT_EQ(outcome.at("besides").size(), 3U);
}

TEST(Explain, RefusesWhatIsNoRequestWith2AndABadFileWith3) {
  const TemporaryFile file(kFile);
  EXPECT_EQ(run_headgate({"explain", "GET", "ftp://a.example/", "-c", file.path()}).code, 2);
  EXPECT_EQ(run_headgate({"explain", "GET", "/", "-c", file.path(), "-H", "no colon"}).code, 2);
  EXPECT_EQ(run_headgate({"explain", "GET", "/", "-c", file.path(), "--ip", "nowhere"}).code, 2);
  EXPECT_EQ(run_headgate({"explain", "GET"}).code, 2);
  const TemporaryFile bad("{ \"listen\": 7 }");
  EXPECT_EQ(run_headgate({"explain", "GET", "/", "-c", bad.path()}).code, 3);
  const Ran away = run_headgate({"explain", "GET", "/", "--admin", "http://127.0.0.1:1"});
  EXPECT_EQ(away.code, 4) << away.err;
}

TEST(Routes, AreListedInTheOrderInWhichTheyAreCompared) {
  const TemporaryFile file(kFile);
  const Ran ran = run_headgate({"routes", "-c", file.path(), "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::vector<std::string> names;
  const Json told = Json::parse(ran.out);
  for (const auto& row : told.at("routes")) names.push_back(row.at("route"));
  EXPECT_THAT(names, testing::ElementsAre("other-host", "health", "orders", "all"));
  const Ran text = run_headgate({"routes", "-c", file.path()});
  EXPECT_THAT(text.out, AllOf(HasSubstr("route"), HasSubstr("/v1/orders/{id}"), HasSubstr("answers 204")));
}

TEST(Routes, OfARunningGatewayAreTheSameOverAllPages) {
  Json config = Json::parse(kFile);
  for (int i = 0; i < 1500; ++i)
    config["routes"].push_back({{"name", "r" + std::to_string(i)}, {"path", "/r/" + std::to_string(i)}, {"to", "app"}});
  const TemporaryFile file(config.dump());
  Gateway gateway(Words{"run", "-c", file.path()});
  const auto admin = Operator(gateway.process()).url();
  const Ran there = run_headgate({"routes", "--admin", admin, "--json"});
  const Ran here = run_headgate({"routes", "-c", file.path(), "--json"});
  EXPECT_EQ(there.code, 0) << there.err;
  EXPECT_EQ(Json::parse(there.out), Json::parse(here.out));
  EXPECT_EQ(Json::parse(here.out).at("routes").size(), 1504U);
  EXPECT_EQ(run_headgate({"routes", "--admin", admin}).out, run_headgate({"routes", "-c", file.path()}).out);
  EXPECT_EQ(run_headgate({"routes", "--admin", admin, "-c", file.path()}).code, 2);
  EXPECT_EQ(run_headgate({"routes", "--admin", "http://127.0.0.1:1"}).code, 4);
  expect_refusal(Operator(gateway.process()).ask("GET", "/api/v1/routes?order=none"), 400);
}

/// A running gateway with kFile's limits, asked at its admin interface.
class Explained : public testing::Test {
 protected:
  static Json changes(const std::string& store) {
    Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
                {"workers", 2},
                {"limits", {{"per-ip", {{"rate", "3/hour"}, {"per", "client_ip"}, {"store", store}}}}},
                {"all_routes", {{"limits", {"per-ip"}}}}};
    return out;
  }
  static Message ask(const Operator& look, const Json& body) {
    const auto text = body.is_string() ? body.get<std::string>() : body.dump();
    return look.ask("POST", "/api/v1/explain", text);
  }
  /// Before each request it is said what the request then gets.
  static void expect_foretold(Proxy& proxy, const std::string& store) {
    const Operator look(proxy.gateway.process());
    RawClient client = proxy.client();
    for (int used = 0; used < 6; ++used) {
      Json told;
      for (int i = 0; i < 3; ++i) {  // of each worker
        const Message answer = ask(look, {{"method", "GET"}, {"url", "http://a.example/x"}, {"ip", "127.0.0.1"}});
        ASSERT_EQ(answer.status(), 200) << answer.body;
        told = Json::parse(answer.body);
        const auto& rule = told.at("limits").at(0).at("rules").at(0);
        EXPECT_EQ(rule.at("used"), std::min(used, 3)) << answer.body;
        EXPECT_EQ(told.at("limits").at(0).at("counted_in"), store);
      }
      const Message answer = client.get("/x");
      EXPECT_EQ(told.at("outcome").at("passes"), answer.status() == 200);
      EXPECT_EQ(told.at("outcome").at("told").at("remaining").dump(), answer.all("X-RateLimit-Remaining"));
      if (answer.status() == 200) continue;
      EXPECT_EQ(told.at("outcome").at("status"), 429);
      EXPECT_EQ(told.at("outcome").at("limit"), "per-ip");
      EXPECT_NEAR(told.at("outcome").at("retry_after").get<double>(), std::stod(answer.all("Retry-After")), 1);
    }
    EXPECT_EQ(proxy.upstream.request_count(), 3U);
  }
};

TEST_F(Explained, ARequestGetsWhatWasForetold) {
  Proxy proxy(changes("memory"));
  expect_foretold(proxy, "memory");
}

TEST_F(Explained, ARequestGetsWhatWasForetoldWithRedis) {
  RedisServer redis;
  if (!redis.installed()) GTEST_SKIP() << "no redis-server on this machine";
  ASSERT_TRUE(redis.start()) << redis.error();
  Json with = changes("redis");
  with["redis"] = {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "1s"}};
  Proxy proxy(with);
  expect_foretold(proxy, "redis");
}

TEST_F(Explained, OnlyWhatCanBeReadIsAnswered) {
  Proxy proxy(changes("memory"));
  const Operator look(proxy.gateway.process());
  for (const char* body : {"", "no", "[]", "7", "{}", R"({"url": 7})", R"({"url": "/", "headers": {"A": "b"}})",
                           R"({"url": "/", "headers": [["A"]]})", R"({"url": "/", "headers": [["A", "b\r\nC: d"]]})",
                           R"({"url": "/", "ip": "nowhere"})", R"({"url": "/", "surprise": 1})",
                           R"({"method": "GET / HTTP/1.1\r\nA: b", "url": "/"})"}) {
    const Message answer = ask(look, std::string(body));
    SCOPED_TRACE(body);
    expect_refusal(answer, 400);
  }
  EXPECT_EQ(ask(look, Json{{"url", "/" + std::string(300'000, 'x')}}).status(), 413);
  const Message odd = ask(look, {{"url", "/a%zz"}});
  EXPECT_EQ(odd.status(), 200);
  EXPECT_EQ(Json::parse(odd.body).at("outcome").at("status"), 400);
}

TEST_F(Explained, ASuspendedCallerIsToldSoByTheRowOfThatLimit) {
  Proxy proxy(changes("memory"));
  const auto admin = Operator(proxy.gateway.process()).url();
  const auto limit = Json::parse(run_headgate({"explain", "GET", "/x", "--admin", admin, "--json"}).out)["limits"][0];
  const auto name = limit.value("limit", "");
  ASSERT_EQ(run_headgate({"suspensions", "add", name, "127.0.0.1", "--for", "10m", "--admin", admin}).code, 0);
  const Ran ran = run_headgate({"explain", "GET", "/x", "--admin", admin});
  EXPECT_THAT(ran.out, AllOf(HasSubstr("is refused with"), HasSubstr("suspended for 10 min"))) << ran.err;
  EXPECT_THAT(ran.out, Not(ContainsRegex(name + " .* allows"))) << "of which nothing is taken";
  const Ran json = run_headgate({"explain", "GET", "/x", "--admin", admin, "--json"});
  EXPECT_GT(Json::parse(json.out).at("limits").at(0).at("suspended"), 590) << json.err;
}

TEST_F(Explained, TheCommandAsksTheGateway) {
  Proxy proxy(changes("memory"));
  const auto admin = Operator(proxy.gateway.process()).url();
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/x").status(), 200);
  const Ran ran = run_headgate({"explain", "GET", "/x", "--admin", admin});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("outcome   passes"), HasSubstr("3/hour"), Not(HasSubstr("No gateway"))));
  const Ran json = run_headgate({"explain", "GET", "/x", "--admin", admin, "--json"});
  EXPECT_EQ(Json::parse(json.out).at("limits").at(0).at("rules").at(0).at("used"), 1) << json.err;
}

}  // namespace
}  // namespace headgate::test
