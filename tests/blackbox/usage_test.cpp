// What is left of a caller's limits, as the caller asks for it.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

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
  const std::string kKey = "a-long-enough-key-of-acme";
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
  const Message told = ask("?route=orders", "a.example", kKey);
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
  const Message unknown = ask("?route=nothing", "b.example", kKey);
  EXPECT_EQ(unknown.status(), 404);
  EXPECT_EQ(same(ask("?route=orders", "b.example", kKey)), same(unknown)) << "of another host nothing is told";
  EXPECT_EQ(same(ask("?route=orders&method=PUT", "a.example", kKey)), same(unknown));
  EXPECT_EQ(same(ask("?route=/.headgate/usage", "b.example", kKey)), same(unknown));
  EXPECT_EQ(ask("?route=open&path=/x", "b.example").status(), 400);
  EXPECT_EQ(ask("?route=open&route=open", "b.example").status(), 400);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

}  // namespace
}  // namespace headgate::test
