// Methods: one spelling for each, TRACE only for a route that names it, and Max-Forwards.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

TEST(Methods, InAnotherCaseAvoidNoRouteAndNoLimit) {
  Proxy proxy(R"({"limits": {"login": {"rate": "1/day", "per": "total"}},
                  "routes": [{"path": "/login", "methods": ["POST"], "to": "app", "limits": ["login"]},
                             {"path": "/*", "to": "app"}]})"_json);
  ASSERT_EQ(proxy.client().ask(request("POST", "/login", "Content-Length: 0\r\n")).status(), 200);
  ASSERT_EQ(proxy.client().ask(request("POST", "/login", "Content-Length: 0\r\n")).status(), 429);
  for (const char* method : {"post", "pOsT", "Post"}) {
    RawClient client = proxy.client();
    expect_problem(client.ask(request(method, "/login", "Content-Length: 0\r\n")), 400);
    EXPECT_TRUE(client.closes()) << method;
  }
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

TEST(Methods, OfTheFilesOwnAreTheSameInAnyCase) {
  Proxy proxy(R"({"limits": {"x": {"rate": "10/day", "per": "total"}},
                  "routes": [{"path": "/*", "to": "app"},
                             {"path": "/x", "methods": ["BREW"], "to": "app",
                              "limits": [{"use": "x", "cost": {"by_method": {"BREW": 4}}}]}]})"_json);
  RawClient client = proxy.client();
  EXPECT_EQ(client.ask(request("BREW", "/x")).value("X-RateLimit-Remaining"), "6");
  EXPECT_EQ(client.ask(request("brew", "/x")).value("X-RateLimit-Remaining"), "2");
  EXPECT_EQ(client.ask(request("Brew", "/x")).status(), 429);
}

TEST(Trace, Is405UnlessARouteNamesIt) {
  Proxy proxy(R"({"routes": [{"path": "/*", "to": "app"}, {"path": "/t", "methods": ["TRACE"], "to": "app"}]})"_json);
  RawClient client = proxy.client();
  const Message refused = client.ask(request("TRACE", "/"));
  expect_problem(refused, 405);
  EXPECT_EQ(refused.value("Allow"), "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
  EXPECT_EQ(client.ask(request("TRACE", "/t")).status(), 200);
  EXPECT_EQ(proxy.forwarded().method(), "TRACE");
}

TEST(MaxForwards, IsCountedDownForOptions) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(client.ask(request("OPTIONS", "/", "Max-Forwards: 7\r\n")).status(), 200);
  EXPECT_EQ(proxy.forwarded().all("Max-Forwards"), "6");
  ASSERT_EQ(client.get("/", "Max-Forwards: 0\r\n").status(), 200) << "other methods pass it on";
  EXPECT_EQ(proxy.forwarded().all("Max-Forwards"), "0");
}

TEST(MaxForwards, EndsHereAtZero) {
  Proxy proxy(R"({"routes": [{"path": "/*", "to": "app"},
                             {"path": "/t", "methods": ["TRACE", "OPTIONS"], "to": "app"}]})"_json);
  RawClient client = proxy.client();
  const Message options = client.ask(request("OPTIONS", "/", "Max-Forwards: 0\r\n"));
  EXPECT_EQ(options.status(), 204) << visible(options.head);
  EXPECT_EQ(options.value("Allow"), "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  const Message trace = client.ask(
      request("TRACE", "/t?q=1", "Max-Forwards: 0\r\nVia: 1.1 first\r\nAuthorization: Bearer x\r\nCookie: s=1\r\n"));
  EXPECT_EQ(trace.status(), 200) << visible(trace.head);
  EXPECT_EQ(trace.value("Content-Type"), "message/http");
  EXPECT_EQ(trace.body, "TRACE /t?q=1 HTTP/1.1\r\nHost: test.example\r\nMax-Forwards: 0\r\nVia: 1.1 first\r\n\r\n")
      << "and nothing that may be secret";
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(MaxForwards, ThatIsNotOneNumberIsRefused) {
  Proxy proxy;
  for (const char* fields :
       {"Max-Forwards: x\r\n", "Max-Forwards:\r\n", "Max-Forwards: -1\r\n", "Max-Forwards: 1, 0\r\n",
        "Max-Forwards: 0\r\nMax-Forwards: 5\r\n", "Max-Forwards: 5\r\nmax-forwards: 0\r\n"}) {
    expect_problem(proxy.client().ask(request("OPTIONS", "/", fields)), 400);
  }
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

}  // namespace
}  // namespace headgate::test
