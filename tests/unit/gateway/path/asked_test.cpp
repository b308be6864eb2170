// Decisions about requests of another proxy's clients.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathAsked : public Path {
 protected:
  PathAsked() {
    identity.trusted_proxies = {*identity::parse_network("192.0.2.0/24")};
    route.path = "/api/*";
    in_memory("plan", "2/hour");
  }
  void ask(net::AskingProxy proxy, std::string_view start_line, const std::string& fields) {
    asked_by = proxy;
    if (gateway != nullptr) {
      x.reset();
      client.forget();
    }
    check(start_line, "X-Forwarded-For: 203.0.113.9\r\n" + fields);
    ASSERT_TRUE(done);
  }
  void ask_nginx(const std::string& uri) {
    ask(net::AskingProxy::nginx, "GET /auth", "X-Original-Method: POST\r\nX-Original-URI: " + uri + "\r\n");
  }
};

TEST_F(PathAsked, AreMadeByTheRouteOfTheRequestAskedAbout) {
  ask_nginx("/api/a?b=1");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.fields["RateLimit"], "\"plan\";r=1;t=1800");
  EXPECT_EQ(client.fields["X-Headgate-Status"], "200");
  EXPECT_TRUE(app->report.targets.empty()) << "no server is asked";
  EXPECT_EQ(x.request.method, "POST");
  EXPECT_EQ(x.request.path, "/api/a");
  ask_nginx("/other");
  EXPECT_EQ(client.status, 403U);
  EXPECT_EQ(client.fields["X-Headgate-Status"], "404");
}

TEST_F(PathAsked, TellNginxARejectionAs403WithTheWait) {
  ask_nginx("/api/a");
  ask_nginx("/api/%61");
  ask_nginx("/api/a");
  EXPECT_EQ(client.status, 403U) << "nginx knows no other status";
  EXPECT_EQ(x.status, 429U) << "what is logged and counted";
  EXPECT_EQ(client.fields["X-Headgate-Status"], "429");
  EXPECT_EQ(client.fields["Retry-After"], "1800");
}

TEST_F(PathAsked, TellOtherProxiesTheStatus) {
  const std::string fields = "X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /api/a\r\nX-Forwarded-Host: shop.example\r\n";
  for (int i = 0; i < 3; ++i) ask(net::AskingProxy::traefik, "GET /", fields);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.request.host, "shop.example");
  EXPECT_FALSE(client.fields.contains("X-Headgate-Status"));
}

TEST_F(PathAsked, ReadARequestOfEnvoyAsItIs) {
  ask(net::AskingProxy::envoy, "GET /api/a", "");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathAsked, RefuseAPathThatEnvoySendsOnInAnotherSpelling) {
  for (const auto* path : {"GET //api/a", "GET /b/../api/a"}) {
    ask(net::AskingProxy::envoy, path, "");
    EXPECT_EQ(client.status, 400U) << path;
  }
}

TEST_F(PathAsked, AreRefusedToOthersThanTrustedProxies) {
  identity.trusted_proxies = {*identity::parse_network("198.51.100.0/24")};
  ask_nginx("/api/a");
  EXPECT_EQ(client.status, 403U);
  EXPECT_THAT(client.body, HasSubstr("this address is none"));
}

TEST_F(PathAsked, NeedARequestThatIsNamedOnce) {
  for (const std::string fields :
       {"X-Original-Method: GET\r\n", "X-Original-URI: /api/a\r\n",
        "X-Original-Method: GET\r\nX-Original-URI: /api/a\r\nX-Original-URI: /api/b\r\n",
        "X-Original-Method: GET\r\nX-Original-URI: /api/a\r\nX_Original_URI: /api/b\r\n",
        "X-Original-Method: G T\r\nX-Original-URI: /api/a\r\n", "X-Original-Method: get\r\nX-Original-URI: /api/a\r\n",
        "X-Original-Method: GET\r\nX-Original-URI: api\r\n", "X-Original-Method: GET\r\nX-Original-URI: /%zz\r\n"}) {
    ask(net::AskingProxy::nginx, "GET /auth", fields);
    EXPECT_EQ(client.status, 403U) << fields;
    EXPECT_EQ(x.status, 400U) << fields;
  }
}

// The proxy sends the path on as it is, and its server could read such a path in another way.
TEST_F(PathAsked, AreRefusedForAPathThatIsNotNormalised) {
  for (const std::string uri : {"/secret/../api/a", "/api//a", "/api/./a", "/api/%2e%2e/api/a"}) {
    ask_nginx(uri);
    EXPECT_EQ(client.status, 403U) << uri;
    EXPECT_EQ(x.status, 400U) << uri;
  }
}

TEST_F(PathAsked, AreNoAnswersOfTheGatewayThatWouldMeanAnAdmission) {
  options.usage = "/api/usage";
  auto cors = std::make_shared<Cors>();
  cors->origins = {"https://shop.example"};
  route.cors = cors;
  ask(net::AskingProxy::traefik, "GET /",
      "X-Forwarded-Method: OPTIONS\r\nX-Forwarded-Uri: /api/a\r\nX-Forwarded-Host: a.example\r\n"
      "Origin: https://shop.example\r\nAccess-Control-Request-Method: POST\r\n");
  EXPECT_EQ(client.fields["X-RateLimit-Remaining"], "1") << "a preflight is counted like any request";
  ask_nginx("/api/usage");
  EXPECT_EQ(client.fields["X-RateLimit-Remaining"], "0") << "and so is the path of `usage`";
}

TEST_F(PathAsked, TellARefusalByItsStatusAlsoForACallOfGrpc) {
  for (const auto proxy : {net::AskingProxy::caddy, net::AskingProxy::nginx}) {
    version = 20;
    for (int i = 0; i < 3; ++i)
      ask(proxy, "POST /",
          "Content-Type: application/grpc\r\nX-Original-Method: POST\r\nX-Original-URI: /api/a\r\n"
          "X-Forwarded-Method: POST\r\nX-Forwarded-Uri: /api/a\r\nX-Forwarded-Host: a.example\r\n");
    EXPECT_EQ(client.status, proxy == net::AskingProxy::nginx ? 403U : 429U);
  }
}

TEST_F(PathAsked, HaveABodyThatTheQuestionDecidesAbout) {
  for (int i = 0; i < 3; ++i)
    ask(net::AskingProxy::nginx, "GET /", "X-Original-Method: HEAD\r\nX-Original-URI: /api/a\r\n");
  EXPECT_EQ(x.status, 429U);
  EXPECT_FALSE(x.request.head());
  EXPECT_FALSE(client.body.empty()) << "its length is announced, and the proxy waits for it";
}

TEST_F(PathAsked, SendAFieldThatTheRequestHasNoValueFor) {
  auto edits = std::make_shared<EditOptions>();
  edits->request_fields.push_back(
      {.how = FieldEdit::How::set, .name = "X-Owner", .value = {{.kind = TextPart::Kind::key_owner, .text = {}}}});
  route.edits = edits;
  ask_nginx("/api/a");
  ASSERT_TRUE(client.fields.contains("X-Owner")) << "so that the proxy replaces what its client sent";
  EXPECT_EQ(client.fields["X-Owner"], "");
}

TEST_F(PathAsked, HaveTheFieldsThatTheServerWouldGet) {
  auto edits = std::make_shared<EditOptions>();
  edits->request_fields.push_back(
      {.how = FieldEdit::How::set, .name = "X-Plan", .value = {{.kind = TextPart::Kind::literal, .text = "gold"}}});
  route.edits = edits;
  ask_nginx("/api/a");
  EXPECT_EQ(client.fields["X-Plan"], "gold");
}

}  // namespace
}  // namespace headgate::gateway::test
