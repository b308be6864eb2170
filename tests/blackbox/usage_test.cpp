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

}  // namespace
}  // namespace headgate::test
