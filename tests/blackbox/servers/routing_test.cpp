// Which route a request gets: the most specific one, in any order and any spelling of the path.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

/// A gateway whose routes answer with their own index, from 0.
class Routes {
 public:
  /// Each a route as JSON without its answer.
  explicit Routes(Json routes, const Json& changes = Json::object())
      : gateway_(numbered(std::move(routes), changes)), client_(gateway_.client()) {}

  /// The index of the matching route, or the status if none matches.
  std::string of(const std::string& method, const std::string& target, const std::string& host = "test.example") {
    if (!client_.is_open()) client_ = gateway_.client();
    client_.send(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    const Message answer = client_.read();
    if (answer.status() == 200) return answer.body;
    client_ = gateway_.client();
    return std::to_string(answer.status());
  }

 private:
  static Json numbered(Json routes, const Json& changes) {
    for (std::size_t i = 0; i < routes.size(); ++i) routes[i]["respond"] = {{"body", "route " + std::to_string(i)}};
    Json config = {{"listen", "127.0.0.1:0"}, {"workers", 1}, {"routes", std::move(routes)}};
    config.merge_patch(changes);
    return config;
  }

  Gateway gateway_;
  RawClient client_;
};

TEST(Routing, TheMostSpecificPathWins) {
  Routes routes(R"([{"path": "/*"}, {"path": "/a/*"}, {"path": "/a/{id}"}, {"path": "/a/b"},
                    {"path": "/a/{id}/c"}, {"path": "/a/b/*"}])"_json);
  EXPECT_EQ(routes.of("GET", "/"), "route 0");
  EXPECT_EQ(routes.of("GET", "/b"), "route 0");
  EXPECT_EQ(routes.of("GET", "/ab"), "route 0") << "a prefix ends at a slash";
  EXPECT_EQ(routes.of("GET", "/a/"), "route 1") << "a parameter is not empty";
  EXPECT_EQ(routes.of("GET", "/a/x"), "route 2");
  EXPECT_EQ(routes.of("GET", "/a/b"), "route 3");
  EXPECT_EQ(routes.of("GET", "/a/x/c"), "route 4");
  EXPECT_EQ(routes.of("GET", "/a/x/d"), "route 1");
  EXPECT_EQ(routes.of("GET", "/a/b/c"), "route 5") << "literal before parameter, from the left";
  EXPECT_EQ(routes.of("GET", "/a/b/x/y"), "route 5");
  EXPECT_EQ(routes.of("GET", "/a/b?c=/x"), "route 3");
}

TEST(Routing, ParametersAreOneSegment) {
  Routes routes(R"([{"path": "/u/{id}/x"}])"_json);
  EXPECT_EQ(routes.of("GET", "/u/1/x"), "route 0");
  EXPECT_EQ(routes.of("GET", "/u/a/b/x"), "404");
  EXPECT_EQ(routes.of("GET", "/u//x"), "404");
}

TEST(Routing, PathsAreCaseSensitiveAndOneSlashAtTheirEndIsPassedOver) {
  Routes routes(R"([{"path": "/Login"}])"_json);
  EXPECT_EQ(routes.of("GET", "/Login"), "route 0");
  EXPECT_EQ(routes.of("GET", "/login"), "404");
  EXPECT_EQ(routes.of("GET", "/Login/"), "route 0") << "many servers take it for the same";
  EXPECT_EQ(routes.of("GET", "/Login/x"), "404");
  EXPECT_EQ(routes.of("GET", "/Login;v=1"), "route 0") << "many servers pass over parameters";
}

TEST(Routing, AHostIsMoreSpecificThanNone) {
  Routes routes(
      R"([{"path": "/*"}, {"path": "/*", "host": "*.example.com"}, {"path": "/*", "host": "a.example.com"}])"_json);
  EXPECT_EQ(routes.of("GET", "/", "other.net"), "route 0");
  EXPECT_EQ(routes.of("GET", "/", "b.example.com"), "route 1");
  EXPECT_EQ(routes.of("GET", "/", "c.b.example.com"), "route 1");
  EXPECT_EQ(routes.of("GET", "/", "a.example.com"), "route 2");
  EXPECT_EQ(routes.of("GET", "/", "A.Example.COM:8080"), "route 2");
  EXPECT_EQ(routes.of("GET", "/", "a.example.com."), "route 2") << "the root's dot names the same host";
  EXPECT_EQ(routes.of("GET", "/", "example.com"), "route 0");
  EXPECT_EQ(routes.of("GET", "/", "evilexample.com"), "route 0");
  EXPECT_EQ(routes.of("GET", "http://a.example.com/", "other.net"), "route 2") << "Host gives way to the target";
}

TEST(Routing, AHostThatNoRouteIsForIs421) {
  Routes routes(R"([{"path": "/x", "host": "a.example.com"}])"_json);
  EXPECT_EQ(routes.of("GET", "/x", "a.example.com"), "route 0");
  EXPECT_EQ(routes.of("GET", "/y", "a.example.com"), "404");
  EXPECT_EQ(routes.of("GET", "/x", "b.example.com"), "421");
}

TEST(Routing, MethodsChooseAmongRoutesOfOnePath) {
  Routes routes(
      R"([{"path": "/x"}, {"path": "/x", "methods": ["POST", "PUT"]}, {"path": "/x", "methods": ["DELETE"]}])"_json);
  EXPECT_EQ(routes.of("GET", "/x"), "route 0");
  EXPECT_EQ(routes.of("PUT", "/x"), "route 1");
  EXPECT_EQ(routes.of("DELETE", "/x"), "route 2");
}

TEST(Routing, AMethodNoMoreSpecificRouteTakesIsNotTakenByALesserOne) {
  Routes routes(R"([{"path": "/*"}, {"path": "/x", "methods": ["POST"]}])"_json);
  EXPECT_EQ(routes.of("POST", "/x"), "route 1");
  const std::string other = routes.of("GET", "/x");
  EXPECT_TRUE(other == "route 0" || other == "405") << other;
}

TEST(Routing, NoSpellingOfAPathAvoidsItsRoute) {
  Routes routes(R"([{"path": "/*"}, {"path": "/v1/login"}])"_json);
  for (const char* target : {"/v1/login",
                             "//v1/login",
                             "/v1//login",
                             "///v1///login",
                             "/./v1/login",
                             "/v1/./login",
                             "/v1/x/../login",
                             "/x/../v1/login",
                             "/v1/%6cogin",
                             "/v1/%6Cogin",
                             "/%761/login",
                             "/v1/logi%6e",
                             "/%2e/v1/login",
                             "/v1/%2E/login",
                             "/v1/x/%2e%2e/login",
                             "/v1/x/.%2e/login",
                             "/v1/x/%2E./login",
                             "/../v1/login",
                             "/../../v1/login",
                             "/%2e%2e/v1/login",
                             "/v1/x/..//login",
                             "/v1/login?a=b",
                             "/v1/login?",
                             "/v1/%6c%6f%67%69%6e",
                             "/v1//x//..///login",
                             "/v1/login/",
                             "/v1/login;x=1",
                             "/v1;a/login",
                             "/v1/login;/",
                             "/v1/x;a=b/../login",
                             "http://test.example/v1/login",
                             "http://test.example//v1/./login"}) {
    const std::string taken = routes.of("GET", target);
    EXPECT_TRUE(taken == "route 1" || taken == "400") << target << " is taken by " << taken;
  }
}

TEST(Routing, AnEncodedSlashIsRefusedOrPartOfItsSegment) {
  Routes routes(R"([{"path": "/*"}, {"path": "/a/b"}, {"path": "/k/{x}", "encoded_slash": "keep"},
                    {"path": "/k%2Fl", "encoded_slash": "keep"}, {"path": "/k/x/y"}])"_json);
  for (const char* target : {"/a%2fb", "/a%2Fb", "/a%5Cb", "/a%252Fb", "/%2Fa/b", "/k/x/y%2f"}) {
    EXPECT_EQ(routes.of("GET", target), "400") << target;
  }
  for (const char* target : {"/k/x%2fy", "/k/x%2Fy", "/k/%5C", "/k/x%252fy"}) {
    EXPECT_EQ(routes.of("GET", target), "route 2") << target;
  }
  EXPECT_EQ(routes.of("GET", "/k%2fl"), "route 3") << "hexadecimal digits have no case";
  for (const char* target : {"/k/..%2Fa", "/k/x%2F..%2F..", "/k/%252e%252e", "/k/..%255Ca"}) {
    EXPECT_EQ(routes.of("GET", target), "400") << target << ": even where slashes are kept, nothing climbs";
  }
}

TEST(Routing, NoRouteIsNoReasonToSayMoreOfAnEncodedSlash) {
  Routes routes(R"([{"path": "/a"}])"_json);
  EXPECT_EQ(routes.of("GET", "/b%2Fc"), "400");
  EXPECT_EQ(routes.of("GET", "/b/c"), "404");
}

TEST(Routing, CaseIsIgnoredWhereTheRouteSaysSo) {
  Routes routes(R"([{"path": "/*"}, {"path": "/Login", "ignore_case": true}, {"path": "/exact"}])"_json);
  for (const char* target : {"/login", "/LOGIN", "/Login", "/%4cOGIN", "/LOGIN/", "/login;x"}) {
    EXPECT_EQ(routes.of("GET", target), "route 1") << target;
  }
  EXPECT_EQ(routes.of("GET", "/EXACT"), "route 0");
}

TEST(Routing, CaseIsIgnoredOnAllRoutesButThoseThatSayOtherwise) {
  Routes routes(R"([{"path": "/*"}, {"path": "/login"}, {"path": "/exact", "ignore_case": false}])"_json,
                {{"all_routes", {{"ignore_case", true}}}});
  EXPECT_EQ(routes.of("GET", "/LOGIN"), "route 1");
  EXPECT_EQ(routes.of("GET", "/exact"), "route 2");
  EXPECT_EQ(routes.of("GET", "/EXACT"), "route 0");
}

TEST(Routing, APrefixTakesThePathBeforeItsStar) {
  Routes routes(R"([{"path": "/*"}, {"path": "/admin/*"}, {"path": "/b"}, {"path": "/b/*"}])"_json);
  for (const char* target : {"/admin", "/admin/", "/admin/x", "/admin;x", "/admin?x"}) {
    EXPECT_EQ(routes.of("GET", target), "route 1") << target;
  }
  EXPECT_EQ(routes.of("GET", "/adminx"), "route 0");
  EXPECT_EQ(routes.of("GET", "/b"), "route 2") << "exact before all below it";
  EXPECT_EQ(routes.of("GET", "/b/"), "route 2");
  EXPECT_EQ(routes.of("GET", "/b/x"), "route 3");
}

TEST(Routing, AServerGetsThePathAsItWasEncoded) {
  Proxy proxy(
      R"({"routes": [{"path": "/*", "to": "app"}, {"path": "/k/*", "to": "app", "encoded_slash": "keep"}]})"_json);
  RawClient client = proxy.client();
  const std::vector<std::pair<std::string, std::string>> table = {
      {"/a%40b/%7euser/%c3%a9?x=%41", "/a%40b/%7euser/%c3%a9?x=%41"},
      {"/x/..//%61/%2e/b%3A", "/%61/b%3A"},
      {"/a@b", "/a@b"},
      {"/k/%61%2fb", "/k/%61%2fb"}};
  for (const auto& [asked, sent] : table) {
    ASSERT_EQ(client.get(asked).status(), 200) << asked;
    EXPECT_EQ(proxy.forwarded().target(), sent);
  }
}

TEST(Routing, OneThingHasOneBudgetHoweverItsNameIsEncoded) {
  Proxy proxy(R"({"limits": {"each": {"rate": "2/hour", "per": "path:id"}},
                  "routes": [{"path": "/u/{id}", "to": "app", "limits": ["each"]},
                             {"path": "/t/{id}", "to": "app", "limits": ["each"], "ignore_case": true}]})"_json);
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/u/a@b").status(), 200);
  EXPECT_EQ(client.get("/u/a%40b").status(), 200);
  for (const char* target : {"/u/a@b", "/u/a%40b", "/u/%61%40%62", "/u/a@b;v", "/u/a@b/"})
    EXPECT_EQ(client.get(target).status(), 429) << target;
  EXPECT_EQ(client.get("/u/A@b").status(), 200) << "another one where case matters";
  EXPECT_EQ(client.get("/t/x").status(), 200);
  EXPECT_EQ(client.get("/T/X").status(), 200);
  EXPECT_EQ(client.get("/t/X").status(), 429);
}

TEST(Routing, WhatIsEncodedForAReasonStaysEncoded) {
  Routes routes(R"([{"path": "/*"}, {"path": "/a/b"}])"_json);
  for (const char* target : {"/a/b%3Fx", "/a/b%23", "/a/b%20", "/a/b%00", "/a/b%5C"}) {
    EXPECT_NE(routes.of("GET", target), "route 1") << target;
  }
}

TEST(Routing, BrokenEncodingIsRefused) {
  Routes routes(R"([{"path": "/*"}])"_json);
  for (const char* target : {"/%", "/%6", "/%zz", "/a%2", "/%%20", "/%u0041", "/%00", "/a%00b"}) {
    EXPECT_EQ(routes.of("GET", target), "400") << target;
  }
}

TEST(Routing, ALimitOnARouteHoldsForEverySpelling) {
  Proxy proxy(R"({"limits": {"tight": {"rate": "1/hour", "per": "total"}},
                  "routes": [{"path": "/*", "to": "app"}, {"path": "/login", "to": "app", "limits": ["tight"]}]})"_json);
  RawClient client = proxy.client();
  ASSERT_EQ(client.get("/login").status(), 200);
  for (const char* target :
       {"/login", "//login", "/./login", "/x/../login", "/%6cogin", "/%2e/login", "/%2E%2E/login"}) {
    const Message answer = client.get(target);
    EXPECT_TRUE(answer.status() == 429 || answer.status() == 400) << target << visible(answer.head);
    if (answer.status() == 400) client = proxy.client();
  }
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

TEST(Routing, WhatTheServerGetsIsWhatWasRouted) {
  // A server that resolves dots and double slashes must get the same path as the router, or a limit could be avoided.
  Proxy proxy(R"({"routes": [{"path": "/open/*", "to": "app"}]})"_json);
  for (const char* target : {"/open/../admin", "/open/%2e%2e/admin", "/open/x/../../admin", "//admin",
                             "/open/..//admin", "/open/.%2E/admin", "/open/../../admin"}) {
    const Message answer = proxy.client().get(target);
    EXPECT_TRUE(answer.status() == 404 || answer.status() == 400) << target << visible(answer.head);
  }
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

}  // namespace
}  // namespace headgate::test
