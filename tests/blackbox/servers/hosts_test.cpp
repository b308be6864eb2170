// Hosts: one spelling for each, and requests without a host.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

int status_for(const Proxy& proxy, const std::string& host, const std::string& path = "/") {
  return proxy.client().ask("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status();
}

TEST(Hosts, HaveOneBudgetEachHoweverTheyAreSpelt) {
  Proxy proxy(R"({"limits": {"x": {"rate": "2/day", "per": "host"}}, "all_routes": {"limits": ["x"]}})"_json);
  EXPECT_EQ(status_for(proxy, "h.test"), 200);
  EXPECT_EQ(status_for(proxy, "H.Test.:80"), 200);
  for (const char* same : {"h.test", "h.test.", "H.TEST:8080", "h.test:"})
    EXPECT_EQ(status_for(proxy, same), 429) << same;
  EXPECT_EQ(status_for(proxy, "h.test.."), 400);
  EXPECT_EQ(status_for(proxy, "[::1]"), 200);
  EXPECT_EQ(status_for(proxy, "[0:0::1]"), 200);
  for (const char* same : {"[::1]:80", "[0:0:0:0:0:0:0:1]", "[0000::0001]"})
    EXPECT_EQ(status_for(proxy, same), 429) << same;
  EXPECT_EQ(status_for(proxy, "[::2]"), 200);
}

TEST(Hosts, AreMatchedHoweverTheyAreSpelt) {
  Proxy proxy(R"({"routes": [{"path": "/*", "host": "[0:0::1]", "to": "app"},
                             {"path": "/*", "host": "H.test", "to": "app"}]})"_json);
  for (const char* host : {"[::1]", "[0::1]:80", "h.test", "h.TEST."}) EXPECT_EQ(status_for(proxy, host), 200) << host;
  EXPECT_EQ(status_for(proxy, "[::2]"), 421);
}

TEST(Hosts, WithAPortThatIsNoneAreRefused) {
  Proxy proxy;
  for (const char* host : {"a:65536", "a:99999", "a:0", "[::1]:65536", "a..b", "..", ".a", "[:::]", "[1]"})
    EXPECT_EQ(status_for(proxy, host), 400) << host;
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
  EXPECT_EQ(status_for(proxy, "a:65535"), 200);
}

TEST(NoHost, InHttp10IsForTheRoutesOfAnyHostAlone) {
  Proxy proxy(R"({"routes": [{"path": "/admin/*", "host": "admin.example", "to": "app"},
                             {"path": "/*", "to": "app"}]})"_json);
  const Message answer = proxy.client().ask("GET /x HTTP/1.0\r\nX-Test-Status: 201\r\n\r\n");
  EXPECT_EQ(answer.status(), 201) << visible(answer.head + answer.body);
  EXPECT_EQ(proxy.forwarded().all("Host"), "app") << "HTTP/1.1 wants one: its upstream's name";
  EXPECT_FALSE(proxy.forwarded().has("X-Forwarded-Host"));
  EXPECT_EQ(proxy.upstream.complaints(), "");
}

TEST(NoHost, IsRefusedWhereEveryRouteIsForSomeHost) {
  Proxy proxy(R"({"routes": [{"path": "/*", "host": "a.example", "to": "app"},
                             {"path": "/*", "host": "*.b.example", "to": "app"}]})"_json);
  expect_problem(proxy.client().ask("GET / HTTP/1.0\r\n\r\n"), 400);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(NoHost, IsRefusedInHttp11) {
  Proxy proxy;
  expect_problem(proxy.client().ask("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(NoHost, IsOneKeyOfItsOwn) {
  Proxy proxy(R"({"limits": {"x": {"rate": "1/day", "per": "host"}}, "all_routes": {"limits": ["x"]}})"_json);
  EXPECT_EQ(proxy.client().ask("GET / HTTP/1.0\r\n\r\n").status(), 200);
  EXPECT_EQ(proxy.client().ask("GET / HTTP/1.0\r\n\r\n").status(), 429);
  EXPECT_EQ(status_for(proxy, "app"), 200) << "whatever the server is told";
}

}  // namespace
}  // namespace headgate::test
