// Routes that are chosen by conditions, and what they change in messages, with the real program and real servers.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

Json one_route(Json route) {
  if (!route.contains("to") && !route.contains("respond") && !route.contains("redirect")) route["to"] = "app";
  return {{"routes", Json::array({route})}};
}

/// Tells what it was asked for: the target as it arrived, Host, and X-Forwarded-Prefix.
RealServer telling_node() {
  return {kNode, [](std::uint16_t port) {
            return Words{
                "-e",
                "require('http').createServer((q, a) => {"
                "  const u = new URL(q.url, 'http://x');"
                "  if (u.pathname.endsWith('/go')) {"
                "    a.writeHead(302, { Location: 'http://' + q.headers.host + '/login?x=1',"
                "      'Set-Cookie': ['a=1; Path=/; Domain=' + q.headers.host.split(':')[0], 'b=2; Path=/cart'] });"
                "    return a.end();"
                "  }"
                "  a.end([q.url, u.pathname, q.headers.host, q.headers['x-forwarded-prefix'],"
                "         q.headers['x-user']].join('|'));"
                "}).listen(" +
                    std::to_string(port) + ", '127.0.0.1')"};
          }};
}

RealServer telling_nginx(const std::string& root) {
  return {kNginx, {"-p", root, "-e", "stderr", "-c"}, [&](std::uint16_t port) {
            std::string own;
            for (const char* each : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
              own += std::string(each) + "_temp_path " + root + ";\n";
            return "daemon off;\nmaster_process off;\npid " + root +
                   "/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n" + own +
                   "server {\nlisten 127.0.0.1:" + std::to_string(port) +
                   ";\nlocation / { return 200 \"$request_uri|$uri|$http_host|$http_x_forwarded_prefix\"; }\n"
                   "location /old { return 301 /new; }\n"
                   "location /private/ { return 403; }\n}\n}\n";
          }};
}

Json before(std::uint16_t port, Json route) {
  route["to"] = "app";
  return {{"listen", "127.0.0.1:0"},
          {"admin", "off"},
          {"workers", 1},
          {"upstreams", {{"app", "http://127.0.0.1:" + std::to_string(port)}}},
          {"routes", Json::array({route})},
          {"log", {{"access", "stdout"}, {"format", "json"}}}};
}

TEST(Conditions, ChooseTheRouteAndRefuseWhatIsUnclear) {
  const Json routes = Json::array(
      {{{"path", "/a"}, {"respond", {{"body", "plain"}}}},
       {{"path", "/a"}, {"headers", {{"X-Version", "2"}}}, {"respond", {{"body", "two"}}}},
       {{"path", "/a"}, {"query", {{"v", "2"}}}, {"headers", {{"X-Version", "3"}}}, {"respond", {{"body", "query"}}}}});
  Proxy proxy(Json{{"routes", routes}});
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/a").body, "plain");
  EXPECT_EQ(client.get("/a", "x-version: 2\r\n").body, "two");
  EXPECT_EQ(client.get("/a?%76=%32", "X-Version: 3\r\n").body, "query");
  EXPECT_EQ(proxy.client().get("/a", "X-Version: 1\r\nX-Version: 2\r\n").status(), 400);
  EXPECT_EQ(proxy.client().get("/a", "X_Version: 2\r\n").status(), 400);
  EXPECT_EQ(proxy.client().get("/a?v=1&v=2", "X-Version: 3\r\n").status(), 400);
}

TEST(Rewriting, NginxAndNodeSeeOnlyWhatIsBelowThePrefix) {
  if (!installed(kNginx) || !installed(kNode)) GTEST_SKIP() << "no nginx or no node on this machine";
  const TemporaryFile folder("", "nothing");
  RealServer nginx = telling_nginx(folder.path().substr(0, folder.path().rfind('/')));
  RealServer node = telling_node();
  ASSERT_TRUE(nginx.listens()) << nginx.said();
  ASSERT_TRUE(node.listens()) << node.said();
  const Json route = {{"path", "/api/*"}, {"rewrite", {{"strip_prefix", "/api"}, {"add_prefix", "/open"}}}};
  Gateway before_nginx(before(nginx.port(), route));
  Gateway before_node(before(node.port(), route));
  for (const std::string target :
       {"/api/x", "/%61pi/x%20y?q=%2F..", "/api//x", "/a/../api/x/", "/api", "/api/%2e%2e/api/x", "/api/..%2fprivate/",
        "/api/%2e%2e%2fprivate", "/api/..;/private/", "/api/%252e%252e/private/", "/api/x/../../api/private/"}) {
    for (const auto* gateway : {&before_nginx, &before_node}) {
      const Message answer = gateway->client().get(target);
      if (answer.status() == 400 || answer.status() == 404) continue;
      ASSERT_EQ(answer.status(), 200) << target << visible(answer.head);
      const auto seen = answer.body.substr(0, answer.body.find('|'));
      const auto read = answer.body.substr(seen.size() + 1);
      EXPECT_TRUE(seen == "/open" || seen.starts_with("/open/") || seen.starts_with("/open?"))
          << target << ": " << answer.body;
      EXPECT_TRUE(read.starts_with("/open/") || read.starts_with("/open|")) << target << ": " << answer.body;
      EXPECT_NE(answer.body.find("/api"), std::string::npos) << "X-Forwarded-Prefix: " << answer.body;
    }
  }
  EXPECT_EQ(before_node.client().get("/api/x%20y/z?q=%2F..").body.substr(0, 23), "/open/x%20y/z?q=%2F..|/");
}

TEST(Rewriting, TheLogKeepsTheClientsPath) {
  Proxy proxy(one_route({{"path", "/users/{id}"}, {"rewrite", {{"path", "/accounts/{id}/profile"}}}}));
  const Message answer = proxy.client().get("/users/7?x=1");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head);
  EXPECT_EQ(proxy.forwarded().start_line, "GET /accounts/7/profile?x=1 HTTP/1.1");
  EXPECT_EQ(proxy.gateway.terminate(), 0);
  const auto log = proxy.gateway.process().out();
  EXPECT_NE(log.find("/users/7"), std::string::npos) << log;
  EXPECT_EQ(log.find("/accounts"), std::string::npos) << log;
}

TEST(Answers, OfAServerThatNamesItselfLeadTheClientBack) {
  if (!installed(kNode)) GTEST_SKIP() << "no " << kNode << " on this machine";
  RealServer node = telling_node();
  ASSERT_TRUE(node.listens()) << node.said();
  Gateway gateway(
      before(node.port(), {{"path", "/app/*"}, {"rewrite", {{"strip_prefix", "/app"}}}, {"host_header", "server"}}));
  const Message answer = gateway.client().ask("GET /app/go HTTP/1.1\r\nHost: shop.example:8080\r\n\r\n");
  ASSERT_EQ(answer.status(), 302) << visible(answer.head);
  EXPECT_EQ(answer.value("Location"), "http://shop.example:8080/app/login?x=1");
  EXPECT_EQ(answer.all("Set-Cookie"), "a=1; Path=/app, b=2; Path=/app/cart");
  const Message other = gateway.client().ask("GET /app/x HTTP/1.1\r\nHost: shop.example:8080\r\n\r\n");
  EXPECT_EQ(other.body, "/x|/x|127.0.0.1:" + std::to_string(node.port()) + "|/app|");
}

TEST(Fields, OfTheEnvironmentAndOfTheRequestLiveTogether) {
  Proxy proxy(one_route({{"path", "/{id}"},
                         {"request_headers",
                          {{"set",
                            {{"Authorization", "Bearer ${HEADGATE_TEST_TOKEN}"},
                             {"X-Who", "${client_ip} at ${path.id}, $${route}"}}}}},
                         {"response_headers", {{"remove", {"X-Secret"}}, {"set", {{"X-Frame-Options", "DENY"}}}}}}),
              {"HEADGATE_TEST_TOKEN=tok", "client_ip=environment"});
  const Message answer = proxy.client().get("/seven", "X-Who: me\r\nX-Test-Field: x-secret: 1\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head);
  EXPECT_EQ(proxy.forwarded().value("Authorization"), "Bearer tok");
  EXPECT_EQ(proxy.forwarded().all("X-Who"), "127.0.0.1 at seven, ${route}");
  EXPECT_EQ(answer.count("X-Secret"), 0U);
  EXPECT_EQ(answer.value("X-Frame-Options"), "DENY");
}

TEST(Fields, ThatARouteRemovesAreNotInTrailersEither) {
  Proxy proxy(one_route({{"path", "/*"}, {"response_headers", {{"remove", {"X-Secret"}}}}}));
  RawClient client = proxy.client();
  const Message answer = client.get(
      "/", "X-Test-Bytes: 10\r\nX-Test-Chunked: 5\r\nX-Test-Trailer: X-Secret: 1\r\nX-Test-Trailer: X-Open: 1\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head);
  ASSERT_EQ(answer.trailers.size(), 1U);
  EXPECT_EQ(answer.trailers.front().name, "X-Open");
}

TEST(Redirects, LeadElsewhereAndKeepTheQuery) {
  Proxy proxy(one_route({{"path", "/old/*"}, {"redirect", {{"to", "https://new.example/v2/*"}, {"status", 301}}}}));
  RawClient client = proxy.client();
  const Message answer = client.get("/old//a%20b/../c?q=1");
  EXPECT_EQ(answer.status(), 301);
  EXPECT_EQ(answer.value("Location"), "https://new.example/v2/c?q=1");
  EXPECT_EQ(answer.value("Content-Length"), "0");
  EXPECT_EQ(client.get("/old").value("Location"), "https://new.example/v2") << "on the same connection";
}

TEST(FixedAnswers, HaveTheirBodyFromAFileAndTheirOwnFields) {
  const TemporaryFile page("<h1>Back soon</h1>\n", "page.html");
  Proxy proxy(
      one_route({{"path", "/*"},
                 {"respond", {{"status", 503}, {"body_file", page.path()}, {"headers", {{"Retry-After", "300"}}}}}}));
  RawClient client = proxy.client();
  const Message answer = client.get("/x");
  EXPECT_EQ(answer.status(), 503);
  EXPECT_EQ(answer.body, "<h1>Back soon</h1>\n");
  EXPECT_EQ(answer.value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(answer.value("Retry-After"), "300");
  const Message head = client.ask(request("HEAD", "/x"), Kind::answer_to_head);
  EXPECT_EQ(head.status(), 503);
  EXPECT_EQ(head.value("Content-Length"), std::to_string(answer.body.size()));
}

}  // namespace
}  // namespace headgate::test
