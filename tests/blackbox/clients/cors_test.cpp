// Cross-origin requests: on the wire, and as a real browser treats them.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace headgate::test {
namespace {

const std::string kOrigin = "Origin: https://app.example.com\r\n";
const std::string kAsksPut = "Access-Control-Request-Method: PUT\r\n";

/// Every route takes requests of one origin, with these other keys of "cors".
Json open_to(const std::string& origin, const Json& more = Json::object()) {
  Json cors = {{"origins", {origin}}};
  cors.merge_patch(more);
  return {{"all_routes", {{"cors", cors}}}};
}

TEST(Cors, APreflightReachesNoServer) {
  Proxy proxy(open_to("https://app.example.com", {{"credentials", true}, {"max_age", "1h"}, {"methods", {"PUT"}}}));
  RawClient client = proxy.client();
  const auto answer = client.ask(request("OPTIONS", "/a", kOrigin + kAsksPut));
  EXPECT_EQ(answer.status(), 204);
  EXPECT_EQ(answer.value("Access-Control-Allow-Origin"), "https://app.example.com");
  EXPECT_EQ(answer.value("Access-Control-Allow-Credentials"), "true");
  EXPECT_EQ(answer.value("Access-Control-Allow-Methods"), "PUT");
  EXPECT_EQ(answer.value("Access-Control-Allow-Headers"), "Authorization, Content-Type");
  EXPECT_EQ(answer.value("Access-Control-Max-Age"), "3600");
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
  EXPECT_EQ(client.ask(request("PUT", "/a", kOrigin + "Content-Length: 0\r\n")).status(), 200)
      << "on the same connection";
}

TEST(Cors, APreflightWithABodyKeepsTheConnectionInOrder) {
  Proxy proxy(open_to("https://app.example.com"));
  RawClient client = proxy.client();
  EXPECT_EQ(client.ask(request("OPTIONS", "/a", kOrigin + kAsksPut + "Content-Length: 2\r\n", "hi")).status(), 204);
  EXPECT_EQ(client.get("/b").status(), 200);
}

TEST(Cors, EachAnswerHasOneOfEachField) {
  Proxy proxy(open_to("https://app.example.com"));
  const auto answer = proxy.client().get(
      "/a", kOrigin + "X-Test-Field: Access-Control-Allow-Origin: *\r\nX-Test-Field: Vary: Accept-Encoding\r\n");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.all("Access-Control-Allow-Origin"), "https://app.example.com");
  EXPECT_EQ(answer.all("Vary"), "Accept-Encoding, Origin");
}

TEST(Cors, ProblemsWithoutARouteCanBeReadIfAllRoutesAreOpen) {
  auto changes = open_to("https://app.example.com");
  changes["routes"] = Json::array({{{"path", "/a"}, {"to", "app"}}});
  Proxy proxy(changes);
  const auto answer = proxy.client().get("/other", kOrigin);
  EXPECT_EQ(answer.status(), 404);
  EXPECT_EQ(answer.value("Access-Control-Allow-Origin"), "https://app.example.com");
}

TEST(Cors, ARouteMayBeClosedWhereAllAreOpen) {
  auto changes = open_to("https://app.example.com");
  changes["routes"] =
      Json::array({{{"path", "/*"}, {"to", "app"}}, {{"path", "/closed"}, {"to", "app"}, {"cors", "off"}}});
  Proxy proxy(changes);
  const auto answer = proxy.client().get("/closed", kOrigin + "X-Test-Field: Access-Control-Allow-Origin: *\r\n");
  EXPECT_EQ(answer.value("Access-Control-Allow-Origin"), "*") << "then it is the server's matter";
  EXPECT_EQ(proxy.client().ask(request("OPTIONS", "/closed", kOrigin + kAsksPut)).status(), 200);
}

TEST(Cors, APreflightListsNoMethodWhoseRouteHasOtherRules) {
  Json changes;
  const auto open = [](const char* origin) { return Json{{"origins", {origin}}, {"credentials", true}}; };
  changes["routes"] = Json::array(
      {{{"path", "/a"}, {"methods", {"POST", "PATCH"}}, {"to", "app"}, {"cors", open("https://app.example.com")}},
       {{"path", "/a"}, {"methods", {"DELETE"}}, {"to", "app"}, {"cors", open("https://admin.example.com")}},
       {{"path", "/a"}, {"methods", {"PUT"}}, {"to", "app"}, {"cors", "off"}},
       {{"path", "/*"}, {"to", "app"}}});
  Proxy proxy(changes);
  const auto answer = proxy.client().ask(request("OPTIONS", "/a", kOrigin + "Access-Control-Request-Method: POST\r\n"));
  EXPECT_EQ(answer.status(), 204);
  EXPECT_EQ(answer.value("Access-Control-Allow-Methods"), "POST, PATCH");
}

TEST(Cors, ABrowserReadsWhenToComeBack) {
  if (headless_chromium().empty()) GTEST_SKIP() << "no Chromium here; ./dev install all brings it";
  RealServer pages(kPython, [](std::uint16_t port) {
    return Words{"-m",
                 "http.server",
                 "--bind",
                 "127.0.0.1",
                 "--directory",
                 std::string(HEADGATE_SOURCE_DIR) + "/tests/blackbox/clients",
                 std::to_string(port)};
  });
  ASSERT_TRUE(pages.listens()) << pages.said();
  Json changes = {{"limits", {{"x", {{"rate", "1/day"}, {"per", "client_ip"}}}}}};
  changes["routes"] = Json::array({{{"path", "/api/*"},
                                    {"to", "app"},
                                    {"methods", {"PUT"}},
                                    {"limits", {"x"}},
                                    {"cors", {{"origins", {pages.url("http")}}}}},
                                   {{"path", "/closed"}, {"to", "app"}}});
  Proxy proxy(changes);
  // The headless shell takes the first for granted; the browser itself would want a screen.
  Process page(
      {"--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--dump-dom",
       "--virtual-time-budget=8000", pages.url("http") + "/cross_origin.html?" + std::to_string(proxy.gateway.port())},
      {"HOME=/tmp"}, headless_chromium());
  ASSERT_EQ(page.wait(std::chrono::seconds(30)), 0) << page.err();
  const auto said = page.out();
  const auto says = [&said](const std::string& line) { return said.find(line) != std::string::npos; };
  EXPECT_TRUE(says("first: 200 ")) << said << page.err();
  EXPECT_TRUE(says("second: 429 86")) << said;
  EXPECT_TRUE(says(" \"x\";q=1;w=86400")) << said;
  EXPECT_TRUE(says("another header: blocked")) << said;
  EXPECT_TRUE(says("without credentials: blocked")) << said;
  EXPECT_TRUE(says("closed: blocked")) << said;
  EXPECT_TRUE(says("closed preflight: blocked")) << said;
  EXPECT_TRUE(says("\nend")) << said;
}

}  // namespace
}  // namespace headgate::test
