// What is left of a caller's limits, as the caller asks for it.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace headgate::test {
namespace {

Json asking(const Json& more = Json::object()) {
  Json changes = R"({
    "usage": "/.headgate/usage",
    "limits": { "per-ip": { "rate": "5/hour", "per": "client_ip" } },
    "all_routes": { "limits": ["per-ip"] }
  })"_json;
  changes.merge_patch(more);
  return changes;
}

TEST(Usage, IsWhatTheNextAnswerSays) {
  Proxy proxy(asking());
  RawClient client = proxy.client();
  for (int used = 0; used <= 5; ++used) {
    for (const auto* path : {"/.headgate/usage", "/.headgate/usage?path=/any"}) {
      const Message told = client.get(path);
      ASSERT_EQ(told.status(), 200) << told.body;
      EXPECT_EQ(told.all("Content-Type"), "application/json");
      EXPECT_FALSE(told.has("RateLimit"));
      const Json row = Json::parse(told.body).at("limits").at(0);
      EXPECT_EQ(row.at("name"), "per-ip");
      EXPECT_EQ(row.at("used"), used);
      EXPECT_EQ(row.at("remaining"), 5 - used);
      EXPECT_EQ(row.at("allowed"), used < 5);
      EXPECT_EQ(row.contains("retry_after"), used == 5);
    }
    const Message answer = client.get("/any");
    EXPECT_EQ(answer.status(), used < 5 ? 200 : 429);
    EXPECT_EQ(answer.all("X-RateLimit-Remaining"), std::to_string(used < 5 ? 4 - used : 0));
  }
  EXPECT_EQ(proxy.upstream.request_count(), 5U);
}

TEST(Usage, OfAPathIsAnsweredAsTheRequestWouldBe) {
  Proxy proxy(asking(R"({ "routes": [ { "path": "/here", "methods": ["GET"], "to": "app" } ] })"_json));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/.headgate/usage?path=/here").status(), 200);
  EXPECT_EQ(client.get("/.headgate/usage?path=/there").status(), 404);
  EXPECT_EQ(client.get("/.headgate/usage?path=/here&method=PUT").status(), 405);
  EXPECT_EQ(client.get("/.headgate/usage?path=nonsense").status(), 400);
}

TEST(Usage, OfARouteByNameTellsItsLimitsToThoseWhoMayCallIt) {
  Proxy proxy(asking(R"({
    "identity": { "api_key": { "keys": { "acme": { "key": "a-long-enough-key-of-acme" } } } },
    "limits": { "plan": { "rate": "7/hour", "per": "api_key" },
                "each-order": { "rate": "2/hour", "per": ["client_ip", "path:id"] } },
    "routes": [
      { "name": "orders", "host": "a.example", "path": "/orders/{id}", "methods": ["GET"], "to": "app",
        "require": "api_key", "limits": ["plan", "each-order"] },
      { "name": "open", "path": "/*", "to": "app" } ]
  })"_json));
  const std::string kUsersKey = "a-long-enough-key-of-acme";
  RawClient client = proxy.client();
  const auto ask = [&](const std::string& query, const std::string& host, const std::string& key = "") {
    return client.ask("GET /.headgate/usage" + query + " HTTP/1.1\r\nHost: " + host + "\r\n" +
                      (key.empty() ? "" : "X-API-Key: " + key + "\r\n") + "\r\n");
  };
  const auto names = [](const Message& told) {
    std::vector<std::string> out;
    const Json body = Json::parse(told.body);
    for (const auto& row : body.at("limits")) out.push_back(row.at("name"));
    return out;
  };
  const Message told = ask("?route=orders", "a.example", kUsersKey);
  ASSERT_EQ(told.status(), 200) << told.body;
  EXPECT_EQ(names(told), (std::vector<std::string>{"per-ip", "plan"})) << "the third one needs a path";
  EXPECT_FALSE(Json::parse(told.body).contains("allowed")) << "of no request";
  EXPECT_EQ(names(ask("?route=open", "b.example")), (std::vector<std::string>{"per-ip"}));

  const Message stranger = ask("?route=orders", "a.example");
  EXPECT_EQ(stranger.status(), 401) << "as a request to it";
  const auto same = [](const Message& answer) {
    auto problem = Json::parse(answer.body);
    problem.erase("request_id");
    problem.erase("instance");
    return std::to_string(answer.status()) + problem.dump();
  };
  const Message unknown = ask("?route=nothing", "b.example", kUsersKey);
  EXPECT_EQ(unknown.status(), 404);
  EXPECT_EQ(same(ask("?route=orders", "b.example", kUsersKey)), same(unknown)) << "of another host nothing is told";
  EXPECT_EQ(same(ask("?route=orders&method=PUT", "a.example", kUsersKey)), same(unknown));
  EXPECT_EQ(same(ask("?route=/.headgate/usage", "b.example", kUsersKey)), same(unknown));
  EXPECT_EQ(ask("?route=open&path=/x", "b.example").status(), 400);
  EXPECT_EQ(ask("?route=open&route=open", "b.example").status(), 400);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

/// The same over a real Redis, where time passes between a question and the request.
class UsageInRedis : public testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;

  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json in_redis(const Json& limits, const Json& routes, const Json& more = Json::object()) const {
    Json out = {{"usage", "/.headgate/usage"},
                {"workers", 1},
                {"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "5s"}}},
                {"limits", limits},
                {"routes", routes}};
    out.merge_patch(more);
    return out;
  }

  /// A caller whose limits count by his key. One address may ask 50 times at once, so he goes on from another one.
  class Caller {
   public:
    explicit Caller(const Proxy& proxy) : proxy_(proxy), client_(proxy.client()) {}
    Message ask(const std::string& path) {
      if (++asked_ % 40 == 0) client_ = proxy_.client("127.0.0." + std::to_string(1 + asked_ / 40));
      return client_.get("/.headgate/usage?path=" + path, kUsersKey);
    }
    Message get(const std::string& path, const std::string& fields = "") {
      return client_.get(path, kUsersKey + fields);
    }

   private:
    inline static const std::string kUsersKey = "X-API-Key: a-long-enough-key-of-acme\r\n";
    const Proxy& proxy_;
    RawClient client_;
    int asked_ = 0;
  };

  /// Asks and requests in turn, and holds that the answer is what was told. `rate`: permits that come back in a second.
  struct Pairs {
    int allowed = 0;
    int rejected = 0;
    int back = 0;     ///< one permit more was there at the request
    double took = 0;  ///< seconds, all pairs together
  };
  static void compare(Caller& client, const std::string& path, const std::string& fields, Pairs& out) {
    const auto begun = Clock::now();
    const Message told = client.ask(path);
    const Message answer = client.get(path, fields);
    out.took += std::chrono::duration<double>(Clock::now() - begun).count();
    ASSERT_EQ(told.status(), 200) << told.body;
    const Json usage = Json::parse(told.body);
    const Json row = usage.at("limits").at(0);
    if (answer.status() == 429) {
      ++out.rejected;
      ASSERT_FALSE(usage.at("allowed")) << path << ' ' << told.body;
      ASSERT_LE(std::abs(usage.at("retry_after").get<int>() - std::stoi(answer.value("Retry-After"))), 1) << path;
      ASSERT_LT(row.at("remaining"), row.at("cost")) << path;
      return;
    }
    ++out.allowed;
    ASSERT_EQ(answer.status(), 200) << path;
    ASSERT_TRUE(usage.at("allowed")) << path << ' ' << told.body;
    const auto cost = fields.empty() ? row.at("cost").get<int>() : 2;  // what the answer says
    const auto more = std::stoi(answer.value("X-RateLimit-Remaining")) - (row.at("remaining").get<int>() - cost);
    ASSERT_GE(more, 0) << path << ": fewer than were told: " << told.body;
    ASSERT_LE(more, 1) << path << ": more than came back meanwhile: " << told.body;
    out.back += more;
  }

  const Json kKnown = {{"identity", {{"api_key", {{"keys", {{"acme", {{"key", "a-long-enough-key-of-acme"}}}}}}}}}};
  RedisServer redis;
};

TEST_F(UsageInRedis, EqualsTheNextDecisionOfEveryAlgorithm) {
  Json limits = Json::object();
  Json routes = Json::array();
  const std::vector<std::string> algorithms{"token_bucket", "leaky_bucket", "fixed_window", "sliding_window",
                                            "sliding_log"};
  for (const auto& name : algorithms) {
    limits[name] = {{"rate", "40/day"}, {"per", "api_key"}, {"store", "redis"}, {"algorithm", name}};
    if (name == "leaky_bucket") limits[name]["burst"] = 40;
    routes.push_back({{"path", "/" + name}, {"to", "app"}, {"require", "api_key"}, {"limits", {name}}});
  }
  limits["hold"] = {{"rate", "200/day"}, {"per", "api_key"}, {"store", "redis"}};
  routes.push_back(
      {{"path", "/hold"},
       {"to", "app"},
       {"require", "api_key"},
       {"limits", {{{"use", "hold"}, {"cost", {{"response_header", "X-Used"}, {"hold", 5}, {"most", 100}}}}}}});
  Proxy proxy(in_redis(limits, routes, kKnown));
  Caller client(proxy);
  Pairs pairs;
  for (int i = 0; i < 45; ++i) {
    for (const auto& name : algorithms) ASSERT_NO_FATAL_FAILURE(compare(client, "/" + name, "", pairs)) << i;
    ASSERT_NO_FATAL_FAILURE(compare(client, "/hold", "X-Test-Field: X-Used: 2\r\n", pairs)) << i;
  }
  EXPECT_EQ(pairs.rejected, 25) << "known rejections among them";
  EXPECT_LE(pairs.back, 1 + static_cast<int>(pairs.took / 400)) << "of 200 and 40 a day";
}

TEST_F(UsageInRedis, EqualsTheNextDecisionOfALeasedKey) {
  const Json limits = {{"busy", {{"rate", "3000/hour"}, {"per", "api_key"}, {"store", "redis"}}}};
  Proxy proxy(
      in_redis(limits, {{{"path", "/*"}, {"to", "app"}, {"require", "api_key"}, {"limits", {"busy"}}}}, kKnown));
  Caller client(proxy);
  Pairs pairs;
  for (int turn = 0; turn < 8; ++turn) {
    for (int i = 0; i < 40; ++i) {
      ASSERT_NO_FATAL_FAILURE(compare(client, "/busy", "", pairs)) << turn << ' ' << i;
      client.get("/busy");  // busier than a key that nobody leases
    }
    // Its permits run out of their time about now, and are given back a little later.
    std::this_thread::sleep_for(std::chrono::milliseconds(860 + 20 * turn));
    for (int i = 0; i < 5; ++i) ASSERT_NO_FATAL_FAILURE(compare(client, "/busy", "", pairs)) << turn << " after it";
  }
  EXPECT_LE(pairs.back, 2 + static_cast<int>(2 * pairs.took)) << "not quite one comes back in a second";
}

TEST_F(UsageInRedis, ARejectionInMemoryTellsTheLongerWaitThere) {
  const Json limits = {
      {"burst", {{"rate", "3/2s"}, {"per", "client_ip"}, {"algorithm", "sliding_log"}}},
      {"hour", {{"rate", "3/hour"}, {"per", "client_ip"}, {"store", "redis"}, {"algorithm", "sliding_log"}}}};
  Proxy proxy(in_redis(limits, {{{"path", "/*"}, {"to", "app"}, {"limits", {"burst", "hour"}}}}));
  RawClient client = proxy.client();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(client.get().status(), 200);
  const Message here = client.get();
  ASSERT_EQ(here.status(), 429);
  EXPECT_GT(std::stoi(here.value("Retry-After")), 3590) << "and not the two seconds of the limit in memory";
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  const Message there = client.get();
  ASSERT_EQ(there.status(), 429);
  EXPECT_GT(std::stoi(there.value("Retry-After")), 3590);
}

TEST(Usage, OfAPathIsNoRequestUnderWay) {
  Proxy proxy(asking(Json{{"admin", {{"listen", "127.0.0.1:0"}}}}));
  const Look look(proxy.gateway.process());
  RawClient client = proxy.client();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(client.get("/.headgate/usage?path=/any").status(), 200);
  ASSERT_EQ(client.get("/any").status(), 200);
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.sum("headgate_requests_in_flight{") == 0; }));
}

}  // namespace
}  // namespace headgate::test
