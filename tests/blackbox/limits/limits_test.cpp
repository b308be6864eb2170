// Limits as a caller sees them: exact counts, true waits, fields of the binding limit.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <regex>
#include <thread>

namespace headgate::test {
namespace {

/// A gateway with these limits, all of them on every route.
Json limited(Json limits, Json more = Json::object()) {
  Json names = Json::array();
  for (const auto& [name, limit] : limits.items()) names.push_back(name);
  Json changes = {{"limits", std::move(limits)}, {"all_routes", {{"limits", std::move(names)}}}};
  changes.merge_patch(more);
  return changes;
}

long number(const Message& answer, const std::string& field) {
  return answer.has(field) ? std::strtol(answer.value(field).c_str(), nullptr, 10) : -1;
}

/// The name, remaining and seconds of a RateLimit field.
struct Standard {
  std::string name;
  long remaining = -1;
  long seconds = -1;
};
Standard standard(const Message& answer) {
  std::smatch match;
  const std::string text = answer.all("RateLimit");
  static const std::regex form(R"re("([^"]+)";r=(\d+)(?:;t=(\d+))?)re");
  if (!std::regex_match(text, match, form)) return {text};
  return {match[1], std::stol(match[2]), match[3].matched ? std::stol(match[3]) : -1};
}

TEST(Limits, TheFirstFewPassAndTheNextIsRejectedWithAWait) {
  Proxy proxy(limited(R"({"per-ip": {"rate": "5/minute", "per": "client_ip"}})"_json));
  RawClient client = proxy.client();
  const long now = std::time(nullptr);
  for (long left = 4; left >= 0; --left) {
    const Message answer = client.get();
    ASSERT_EQ(answer.status(), 200);
    EXPECT_EQ(number(answer, "X-RateLimit-Limit"), 5) << visible(answer.head);
    EXPECT_EQ(number(answer, "X-RateLimit-Remaining"), left);
    EXPECT_GE(number(answer, "X-RateLimit-Reset"), now);
    EXPECT_LE(number(answer, "X-RateLimit-Reset"), now + 65);
    EXPECT_EQ(standard(answer).name, "per-ip") << visible(answer.head);
    EXPECT_EQ(standard(answer).remaining, left);
    EXPECT_EQ(answer.all("RateLimit-Policy"), "\"per-ip\";q=5;w=60");
    EXPECT_FALSE(answer.has("Retry-After"));
  }
  const Message rejected = client.get();
  expect_problem(rejected, 429);
  EXPECT_GE(number(rejected, "Retry-After"), 10);
  EXPECT_LE(number(rejected, "Retry-After"), 12);
  EXPECT_EQ((number(rejected, "Retry-After-Ms") + 999) / 1000, number(rejected, "Retry-After"));
  EXPECT_FALSE(rejected.has("X-Should-Retry")) << "a client library can wait so long";
  EXPECT_EQ(number(rejected, "X-RateLimit-Limit"), 5);
  EXPECT_EQ(number(rejected, "X-RateLimit-Remaining"), 0);
  EXPECT_EQ(standard(rejected).remaining, 0);
  EXPECT_EQ(standard(rejected).seconds, number(rejected, "Retry-After"));
  EXPECT_EQ(rejected.all("RateLimit-Policy"), "\"per-ip\";q=5;w=60");
  const Json problem = Json::parse(rejected.body);
  EXPECT_EQ(problem.value("code", ""), "limit");
  EXPECT_EQ(problem.value("limit", ""), "per-ip");
  EXPECT_EQ(problem.value("retry_after", 0L), number(rejected, "Retry-After"));
  EXPECT_EQ(proxy.upstream.request_count(), 5U);
}

TEST(Limits, WaitingAsLongAsToldIsEnough) {
  Proxy proxy(limited(R"({"x": {"rate": "10/7s", "burst": 3, "per": "client_ip"}})"_json));
  RawClient client = proxy.client();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(client.get().status(), 200);
  for (int i = 0; i < 2; ++i) {
    const Message rejected = client.get();
    ASSERT_EQ(rejected.status(), 429);
    ASSERT_EQ(number(rejected, "Retry-After"), 1) << "0.7 s, rounded up";
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(client.get().status(), 200);
  }
}

TEST(Limits, RetryAfterIsNeverNothing) {
  Proxy proxy(limited(R"({"x": {"rate": "100/second", "burst": 1, "per": "client_ip"}})"_json));
  RawClient client = proxy.client();
  Message answer = client.get();
  for (int i = 0; i < 200 && answer.status() == 200; ++i) answer = client.get();
  if (answer.status() == 429) {
    EXPECT_EQ(number(answer, "Retry-After"), 1);
  }
}

TEST(Limits, ARejectedRequestKeepsTheConnections) {
  Proxy proxy(limited(
      R"({"x": {"rate": "1/hour", "per": "client_ip"}})"_json,
      R"({"routes": [{"path": "/*", "to": "app"}, {"path": "/free", "to": "app", "skip_limits": ["x"]}]})"_json));
  RawClient client = proxy.client();
  ASSERT_EQ(client.get().status(), 200);
  EXPECT_EQ(client.get().status(), 429);
  EXPECT_EQ(client.ask(request("HEAD", "/"), Kind::answer_to_head).status(), 429);
  EXPECT_EQ(client.get("/free").status(), 200);
  const Message posted = client.ask(request_with_body("POST", "/", "hello"));
  EXPECT_EQ(posted.status(), 429);
  if (posted.all("Connection") == "close") {  // the body may be read or cut off, but the client must know which
    EXPECT_TRUE(client.closes());
    client = proxy.client();
  }
  EXPECT_EQ(client.get("/free").status(), 200);
  client.send(request("POST", "/", "Expect: 100-continue\r\nContent-Length: 5\r\n"));
  EXPECT_EQ(client.read_head().status(), 429) << "a body nobody will read is not invited";
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(Limits, TheBindingLimitOfSeveralIsShown) {
  Proxy proxy(limited(R"({"wide": {"rate": "100/minute", "per": "client_ip"},
                          "narrow": {"rate": "3/minute", "per": "client_ip"}})"_json));
  RawClient client = proxy.client();
  const Message answer = client.get();
  EXPECT_EQ(standard(answer).name, "narrow") << visible(answer.head);
  EXPECT_EQ(number(answer, "X-RateLimit-Limit"), 3);
  EXPECT_EQ(number(answer, "X-RateLimit-Remaining"), 2);
  client.get();
  client.get();
  const Message rejected = client.get();
  EXPECT_EQ(rejected.status(), 429);
  EXPECT_EQ(standard(rejected).name, "narrow");
  EXPECT_EQ(Json::parse(rejected.body).value("limit", ""), "narrow");
}

TEST(Limits, ARejectedRequestIsChargedByNoLimit) {
  Proxy proxy(
      R"({"limits": {"first": {"rate": "100/hour", "per": "client_ip"}, "then": {"rate": "2/hour", "per": "total"},
                             "last": {"rate": "100/hour", "per": "total"}},
                  "routes": [{"path": "/*", "to": "app", "limits": ["first", "then", "last"]},
                             {"path": "/first", "to": "app", "limits": ["first"]},
                             {"path": "/last", "to": "app", "limits": ["last"]}]})"_json);
  RawClient client = proxy.client();
  for (int i = 0; i < 2; ++i) ASSERT_EQ(client.get().status(), 200);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(client.get().status(), 429);
  EXPECT_EQ(number(client.get("/first"), "X-RateLimit-Remaining"), 97);
  EXPECT_EQ(number(client.get("/last"), "X-RateLimit-Remaining"), 97);
}

TEST(Limits, AllRatesOfOneLimitHold) {
  Proxy proxy(limited(R"({"x": {"rate": ["50/second", "4/hour"], "per": "client_ip"}})"_json));
  RawClient client = proxy.client();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(client.get().status(), 200) << i;
  EXPECT_EQ(client.get().status(), 429);
}

TEST(Limits, ARequestMayCostSeveral) {
  Proxy proxy(R"({"limits": {"x": {"rate": "10/hour", "per": "client_ip"}},
                  "routes": [{"path": "/big", "to": "app", "limits": [{"use": "x", "cost": 4}]},
                             {"path": "/*", "to": "app", "limits": ["x"]}]})"_json);
  RawClient client = proxy.client();
  EXPECT_EQ(number(client.get("/big"), "X-RateLimit-Remaining"), 6);
  EXPECT_EQ(number(client.get("/big"), "X-RateLimit-Remaining"), 2);
  EXPECT_EQ(client.get("/big").status(), 429);
  EXPECT_EQ(number(client.get("/small"), "X-RateLimit-Remaining"), 1) << "what is left serves smaller ones";
}

TEST(Limits, InObserveModeRejectNobody) {
  Proxy proxy(limited(R"({"x": {"rate": "1/hour", "per": "client_ip", "mode": "observe"}})"_json));
  RawClient client = proxy.client();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.upstream.request_count(), 5U);
}

TEST(Limits, InObserveModeHideNoEnforcedLimit) {
  Proxy proxy(limited(R"({"trial": {"rate": "1/hour", "per": "client_ip", "mode": "observe"},
                          "real": {"rate": "3/hour", "per": "client_ip"}})"_json));
  RawClient client = proxy.client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get().status(), 200) << i;
  EXPECT_EQ(client.get().status(), 429) << "the trial must not stop the real one from being charged";
}

TEST(Limits, RequestsWithoutARouteAreNotCharged) {
  Proxy proxy(limited(R"({"x": {"rate": "1/hour", "per": "client_ip"}})"_json,
                      R"({"routes": [{"path": "/a", "to": "app"}]})"_json));
  RawClient client = proxy.client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/nowhere").status(), 404);
  EXPECT_EQ(client.get("/a").status(), 200);
}

TEST(Limits, ApplyToAnswersWithoutAServerToo) {
  Gateway gateway(R"({"listen": "127.0.0.1:0", "limits": {"x": {"rate": "2/hour", "per": "total"}},
                      "routes": [{"path": "/*", "respond": {"body": "ok"}, "limits": ["x"]}]})"_json);
  RawClient client = gateway.client();
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(number(client.get(), "X-RateLimit-Remaining"), 0);
  EXPECT_EQ(client.get().status(), 429);
}

TEST(Limits, SayAsMuchAsTheConfigurationWants) {
  for (const std::string choice : {"standard", "legacy", "none"}) {
    Proxy proxy(
        limited(R"({"x": {"rate": "1/hour", "per": "client_ip"}})"_json, Json{{"rejection", {{"headers", choice}}}}));
    RawClient client = proxy.client();
    for (const int status : {200, 429}) {
      const Message answer = client.get();
      ASSERT_EQ(answer.status(), status);
      EXPECT_EQ(answer.has("RateLimit"), choice == "standard") << visible(answer.head);
      EXPECT_EQ(answer.has("RateLimit-Policy"), choice == "standard") << visible(answer.head);
      EXPECT_EQ(answer.has("X-RateLimit-Limit"), choice == "legacy") << visible(answer.head);
      EXPECT_EQ(answer.has("X-RateLimit-Remaining"), choice == "legacy") << visible(answer.head);
      EXPECT_EQ(answer.has("Retry-After"), status == 429);
      EXPECT_EQ(answer.has("Retry-After-Ms"), status == 429);
    }
  }
}

TEST(Limits, ARejectionMayHaveNoBody) {
  Proxy proxy(
      limited(R"({"x": {"rate": "1/hour", "per": "client_ip"}})"_json, R"({"rejection": {"body": "none"}})"_json));
  RawClient client = proxy.client();
  client.get();
  const Message rejected = client.get();
  EXPECT_EQ(rejected.status(), 429);
  EXPECT_EQ(rejected.body, "");
  EXPECT_GE(number(rejected, "Retry-After"), 1);
}

/// How many of `threads` × `each` requests on connections of their own are admitted.
int hammer(const Gateway& gateway, int threads, int each) {
  std::atomic<int> admitted = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      RawClient client = gateway.client();
      for (int i = 0; i < each; ++i) {
        if (i % 5 == 0) client = gateway.client();  // another connection, perhaps another worker
        const Message answer = client.get();
        EXPECT_TRUE(answer.status() == 200 || answer.status() == 429) << answer.error;
        if (answer.status() == 200) ++admitted;
      }
    });
  }
  for (auto& thread : all) thread.join();
  return admitted;
}

TEST(Limits, AllWorkersShareOneBudgetExactly) {
  Proxy proxy(limited(R"({"x": {"rate": "60/day", "per": "client_ip"}})"_json, R"({"workers": 4})"_json));
  EXPECT_EQ(hammer(proxy.gateway, 8, 20), 60);
}

}  // namespace
}  // namespace headgate::test
