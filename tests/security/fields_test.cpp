// Attacks by spelling: methods, hosts and fields that the gateway and a server read in different ways.

#include "security/behind.hpp"

#include <algorithm>
#include <cctype>

namespace headgate::test {
namespace {

class Spelling : public Behind {
 protected:
  /// The value that the application gets for a field, whatever name its server uses; "" if none.
  std::string got(const Message& answer, const std::string& name) {
    for (const auto& field : reading_of(answer).fields) {
      if (plain(field.name) == plain(name)) return field.value;
    }
    return "";
  }
  /// "HTTP_X_API_KEY", "x-api-key", "X_API_Key" and "X.API!Key" are one variable.
  static std::string plain(std::string name) {
    for (char& c : name)
      c = std::isalnum(static_cast<unsigned char>(c)) != 0
              ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
              : '_';
    return name.starts_with("HTTP_") ? name.substr(5) : name;
  }
};
HEADGATE_BEHIND_EVERY_SERVER(Spelling);
INSTANTIATE_TEST_SUITE_P(Cgi, Spelling, testing::Values(RealServer::Kind::lighttpd),
                         [](const auto& each) { return to_text(each.param); });

TEST_P(Spelling, OfAMethodAvoidsNoRoute) {
  if (!start(R"({"routes": [{"path": "/*", "to": "app"},
                            {"path": "/login", "methods": ["POST"], "respond": {"status": 403}}]})"_json))
    return;
  for (const char* method : {"post", "pOsT", "Post", "POSt"}) {
    const Message answer = client().ask(request(method, "/login", "Content-Length: 0\r\n"));
    EXPECT_TRUE(answer.status() == 400 || answer.status() == 403) << method << visible(answer.head + answer.body);
  }
}

TEST_P(Spelling, OfTraceReflectsNothing) {
  if (!start()) return;
  const Message answer = client().ask(request("TRACE", "/", "Cookie: secret=1\r\n"));
  EXPECT_EQ(answer.status(), 405) << visible(answer.head);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
}

TEST_P(Spelling, OfAKeysFieldReachesNobody) {
  if (!start(
          R"({"identity": {"api_key": {"keys": {"acme": {"key": "0123456789abcdef0123456789abcdef"}}, "pass_on": true}},
                 "routes": [{"path": "/open/*", "to": "app"}, {"path": "/*", "to": "app", "require": "api_key"}]})"_json))
    return;
  const std::string key = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(client().get("/", "X-API-Key: " + key + "\r\n").status(), 200);
  for (const char* name : {"X_API_Key", "X_API_KEY", "x-api_key", "X_Api-Key", "X.API.Key", "X!API|Key"}) {
    const std::string field = std::string(name) + ": " + key + "\r\n";
    EXPECT_EQ(client().get("/", field).status(), 401) << name;
    EXPECT_EQ(client().get("/", "X-API-Key: " + key + "\r\n" + field).status(), 400) << name;
    const Message open = client().get("/open/", field);
    EXPECT_EQ(open.status(), 200) << name;
    EXPECT_EQ(got(open, "X-API-Key"), "") << name << visible(open.body);
  }
}

TEST_P(Spelling, OfATokensFieldReachesNobody) {
  if (!start(
          R"({"identity": {"jwt": {"algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef", "header": "X-Token",
                                      "claim_headers": {"X-User": "sub"}}},
                 "routes": [{"path": "/open/*", "to": "app"}, {"path": "/*", "to": "app", "require": "jwt"}]})"_json))
    return;
  for (const char* name : {"X_Token", "x_token", "X_TOKEN", "X.Token", "X+Token"}) {
    const std::string field = std::string(name) + ": a.b.c\r\n";
    EXPECT_EQ(client().get("/", field).status(), 401) << name;
    for (const char* user : {"X_User", "X.User", "X!User", "x~user"}) {
      const Message open = client().get("/open/", field + user + ": root\r\n");
      EXPECT_EQ(open.status(), 200) << name;
      EXPECT_EQ(got(open, "X-Token"), "") << name << visible(open.body);
      EXPECT_EQ(got(open, "X-User"), "") << user << visible(open.body);
    }
  }
}

TEST_P(Spelling, OfAHopsFieldReachesNoApplication) {
  if (!start()) return;
  for (const std::string name :
       {"X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Port", "X-Forwarded-Prefix", "True-Client-IP",
        "CF-Connecting-IP", "Proxy", "Script-Name", "Transfer-Encoding", "Remote-User"}) {
    std::vector<std::string> spellings{name};
    for (const char instead : {'_', '.', '|', '+'}) {
      spellings.push_back(name);
      std::replace(spellings.back().begin(), spellings.back().end(), '-', instead);
    }
    for (const auto& sent : spellings) {
      if (sent == "Transfer-Encoding") continue;  // followed or refused, never forwarded
      const Message answer = client().get("/", sent + ": evil\r\n");
      ASSERT_EQ(answer.status(), 200) << sent;
      EXPECT_EQ(got(answer, name), "") << sent << visible(answer.body);
    }
  }
}

TEST_P(Spelling, OfAFieldThatTheRouteRemovesReachesNoApplication) {
  if (!start(
          R"({"routes": [{"path": "/*", "to": "app", "request_headers": {"remove": ["X-Debug"], "set": {"X-Plan": "free"}}}]})"_json))
    return;
  for (const char* name : {"X-Debug", "X_Debug", "X+Debug", "X.Debug", "X'Debug"})
    EXPECT_EQ(got(client().get("/", std::string(name) + ": 1\r\n"), "X-Debug"), "") << name;
  for (const char* name : {"X.Plan", "X#Plan", "X_Plan"}) {
    const auto plan = got(client().get("/", std::string(name) + ": pro\r\n"), "X-Plan");
    EXPECT_TRUE(plan == "free" || plan.empty()) << name << " " << plan;
  }
}

TEST_P(Spelling, OfACountedFieldHasNoBudgetOfItsOwn) {
  if (!start(
          R"({"limits": {"x": {"rate": "1/day", "per": "header:X-Client", "if_absent": "skip"}}, "all_routes": {"limits": ["x"]}})"_json))
    return;
  EXPECT_EQ(client().get("/", "X-Client: a\r\n").status(), 200);
  EXPECT_EQ(client().get("/", "X-Client: a\r\n").status(), 429);
  for (const char* name : {"X!Client", "X.Client", "X_Client"}) {
    const std::string field = std::string(name) + ": a\r\n";
    const Message answer = client().get("/", field);
    EXPECT_EQ(got(answer, "X-Client"), "") << name << visible(answer.body);
    EXPECT_EQ(client().get("/", "X-Client: b\r\n" + field).status(), 400) << name;
  }
}

TEST_P(Spelling, OfAHostHasNoBudgetOfItsOwn) {
  if (!start(R"({"limits": {"x": {"rate": "1/day", "per": "host"}}, "all_routes": {"limits": ["x"]}})"_json)) return;
  const auto status = [&](const std::string& host) {
    return client().ask("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status();
  };
  EXPECT_EQ(status("h.test"), 200);
  for (const char* same : {"h.test.", "H.TEST", "h.test:81", "h.test.:82"}) EXPECT_EQ(status(same), 429) << same;
  EXPECT_EQ(status("[::1]"), 200);
  for (const char* same : {"[0:0::1]", "[::0.0.0.1]", "[0:0:0:0:0:0:0:1]:81"}) EXPECT_EQ(status(same), 429) << same;
  for (const char* none : {"h.test..", "h..test", "h.test:65536", "h.test:0", "[:::1]"})
    EXPECT_EQ(status(none), 400) << none;
}

TEST_P(Spelling, OfAnUpgradeOpensNoTunnelForHttp) {
  if (!start(R"({"routes": [{"path": "/*", "to": "app"}, {"path": "/admin", "respond": {"status": 403}}]})"_json))
    return;
  for (const char* protocol : {"h2c", "h2c/1", "H2C", "websocket, h2c/1", "h2c-14", "HTTP/2.0", "TLS/1.0"}) {
    const Message answer =
        client().get("/", "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nUpgrade: " +
                              std::string(protocol) + "\r\n");
    EXPECT_EQ(answer.status(), 200) << protocol;
    EXPECT_EQ(got(answer, "Upgrade"), "") << protocol << visible(answer.body);
    EXPECT_EQ(got(answer, "HTTP2-Settings"), "") << protocol;
  }
}

}  // namespace
}  // namespace headgate::test
