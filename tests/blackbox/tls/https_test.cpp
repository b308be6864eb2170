// Redirects to https and Strict-Transport-Security, as clients see them.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

Json redirecting(const Json& to, const Json& more = Json::object()) {
  Json changes = {{"listen", {{"address", "127.0.0.1:0"}, {"redirect_to_https", to}}}};
  changes.merge_patch(more);
  return changes;
}

const std::string kEnd = "Connection: close\r\n\r\n";

TEST(RedirectToHttps, KeepsHostPathAndQuery) {
  Proxy proxy(redirecting(true));
  RawClient client = proxy.client();
  for (const auto& [host, there] :
       std::vector<std::pair<std::string, std::string>>{{"Shop.Example", "shop.example"},
                                                        {"shop.example:8080", "shop.example"},
                                                        {"shop.example.", "shop.example"},
                                                        {"192.0.2.1:80", "192.0.2.1"},
                                                        {"[2001:DB8::1]:80", "[2001:db8::1]"}}) {
    const auto answer = client.ask("GET /a/b?c=%2F&d HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    EXPECT_EQ(answer.status(), 301) << host;
    EXPECT_EQ(answer.all("Location"), "https://" + there + "/a/b?c=%2F&d");
    EXPECT_EQ(answer.body, "");
  }
  const auto post = client.ask("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(post.status(), 308);
  EXPECT_EQ(client.get("/").status(), 301) << "on the same connection";
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(RedirectToHttps, GoesToAnotherPort) {
  Proxy proxy(redirecting(8443));
  EXPECT_EQ(proxy.client().ask("GET / HTTP/1.1\r\nHost: a:80\r\n\r\n").all("Location"), "https://a:8443/");
}

TEST(RedirectToHttps, NeverGoesToAnotherHost) {
  Proxy proxy(redirecting(true));
  for (const char* host : {"a.example/evil.example", "evil.example\\@a.example", "user@evil.example", "a.example?x", "",
                           "a.example#", "a..example", "a.example:", "a.example:99999", "a.example:80:90", "[::1",
                           "a.example, b.example", "a\texample"}) {
    RawClient client = proxy.client();
    const auto answer = client.ask("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    EXPECT_FALSE(answer.has("Location") && !has(answer.value("Location"), "https://a.example/"))
        << host << ": " << visible(answer.head);
    if (answer.status() != 301) {
      EXPECT_EQ(answer.status(), 400) << host;
    }
  }
  for (const char* target : {"//evil.example/", "/\\evil.example", "/%0d%0aSet-Cookie:a=b", "/@evil.example"}) {
    RawClient client = proxy.client();
    const auto answer = client.ask("GET " + std::string(target) + " HTTP/1.1\r\nHost: a.example\r\n\r\n");
    EXPECT_FALSE(answer.has("Set-Cookie"));
    if (answer.status() == 301) {
      EXPECT_TRUE(answer.value("Location").starts_with("https://a.example/")) << visible(answer.head);
    }
  }
  const auto nameless = proxy.client().ask("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(nameless.status(), 400) << "without Host there is nowhere to go";
}

TEST(RedirectToHttps, LeavesOutARouteThatSaysSo) {
  Proxy proxy(redirecting(
      true,
      {{"routes",
        Json::array({{{"path", "/*"}, {"to", "app"}},
                     {{"path", "/.well-known/acme-challenge/*"}, {"to", "app"}, {"redirect_to_https", false}}})}}));
  EXPECT_EQ(proxy.client().get("/.well-known/acme-challenge/x").status(), 200);
  EXPECT_EQ(proxy.client().get("/").status(), 301);
}

TEST(RedirectToHttps, BelievesATrustedProxyInFront) {
  Proxy proxy(redirecting(true, {{"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}}, {"hsts", "1y"}}));
  const auto secure = proxy.client().get("/", "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n");
  EXPECT_EQ(secure.status(), 200);
  EXPECT_EQ(secure.all("Strict-Transport-Security"), "max-age=31536000");
  const auto plain = proxy.client().get("/", "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: http\r\n");
  EXPECT_EQ(plain.status(), 301);
  EXPECT_FALSE(plain.has("Strict-Transport-Security"));
  RawClient stranger = proxy.client("127.0.0.2");
  EXPECT_EQ(stranger.get("/", "X-Forwarded-Proto: https\r\n").status(), 301) << "who is not trusted";
}

TEST(Hsts, IsOnAnswersOfServersAndOurOwn) {
  Proxy proxy({{"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}},
               {"hsts", {{"max_age", "180d"}, {"include_subdomains", true}}},
               {"routes", Json::array({{{"path", "/*"}, {"to", "app"}},
                                       {{"path", "/here"}, {"respond", {{"body", "ok"}}}},
                                       {{"path", "/private"}, {"to", "app"}, {"require", "api_key"}}})}});
  const std::string over_tls = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n";
  for (const auto& [path, status] :
       std::vector<std::pair<std::string, int>>{{"/", 200}, {"/here", 200}, {"/private", 401}}) {
    const auto answer = proxy.client().get(path, over_tls + "X-Test-Field: Strict-Transport-Security: max-age=1\r\n");
    EXPECT_EQ(answer.status(), status) << path;
    EXPECT_EQ(answer.all("Strict-Transport-Security"), "max-age=15552000; includeSubDomains") << path;
    EXPECT_FALSE(proxy.client().get(path).has("Strict-Transport-Security")) << path << " without TLS";
  }
}

TEST(Hsts, IsOnceOnEveryAnswerWhateverTheRouteSaysOfIt) {
  const Json sets = {{"set", {{"Strict-Transport-Security", "max-age=7"}}}, {"always", true}};
  Proxy proxy({{"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}},
               {"hsts", "180d"},
               {"all_routes", {{"response_headers", sets}}},
               {"routes", Json::array({{{"path", "/*"}, {"to", "app"}},
                                       {{"path", "/here"}, {"respond", {{"body", "ok"}}}},
                                       {{"path", "/old"}, {"redirect", {{"to", "/new"}}}},
                                       {{"path", "/private"}, {"to", "app"}, {"require", "api_key"}}})}});
  const std::string over_tls = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n";
  for (const std::string path : {"/", "/here", "/old", "/private"}) {
    EXPECT_EQ(proxy.client().get(path, over_tls).all("Strict-Transport-Security"), "max-age=15552000") << path;
    EXPECT_FALSE(proxy.client().get(path).has("Strict-Transport-Security")) << path << " without TLS";
  }
}

}  // namespace
}  // namespace headgate::test
