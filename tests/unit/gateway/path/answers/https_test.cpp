// Redirects to https, and Strict-Transport-Security.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;

class PathHttps : public Path {
 protected:
  std::string field(const std::string& name) const {
    const auto found = client.fields.find(name);
    return found == client.fields.end() ? std::string() : found->second;
  }
  std::string hsts() const { return field("Strict-Transport-Security"); }
  /// The client is a proxy that is believed.
  void trust_the_client() { identity.trusted_proxies = {*identity::parse_network("192.0.2.7/32")}; }
};

TEST_F(PathHttps, RedirectsBeforeAnythingIsCounted) {
  route.https_port = 443;
  in_memory("flood", "10/second");
  check("GET /a%20b//c?d=e");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 301U);
  EXPECT_TRUE(field("Location").starts_with("https://a.example/a%20b/")) << field("Location");
  EXPECT_TRUE(field("Location").ends_with("?d=e")) << field("Location");
  EXPECT_THAT(trace.lines, ElementsAre("answer 301"));
  EXPECT_EQ(x.ended_by, EndedBy::respond);
}

TEST_F(PathHttps, KeepsTheMethodIfItIsNotGet) {
  route.https_port = 443;
  check("POST /a", "Content-Length: 2\r\n", {{"ab", Duration(0), {}}});
  EXPECT_EQ(client.status, 308U);
  ask_again("HEAD /a");
  EXPECT_EQ(client.status, 301U);
  EXPECT_EQ(client.body, "");
}

TEST_F(PathHttps, ServesThoseWhoUseTls) {
  route.https_port = 443;
  x.client_tls = true;
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathHttps, BelievesOnlyATrustedProxyThatTellsOfTls) {
  route.https_port = 443;
  check("GET /a", "X-Forwarded-Proto: https\r\n");
  EXPECT_EQ(client.status, 301U) << "anybody can write that";
}

TEST_F(PathHttps, BelievesATrustedProxyThatTellsOfTls) {
  trust_the_client();
  route.https_port = 443;
  options.hsts = "max-age=1";
  check("GET /a", "X-Forwarded-Proto: https\r\n");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(hsts(), "max-age=1");
  ask_again("GET /a", "X-Forwarded-Proto: http\r\n");
  EXPECT_EQ(client.status, 301U);
  EXPECT_EQ(hsts(), "");
}

TEST_F(PathHttps, GoesByTheListenerUnlessTheRouteSaysOtherwise) {
  x.https_port = 8443;
  check("GET /a");
  EXPECT_EQ(field("Location"), "https://a.example:8443/a");
  ask_again("OPTIONS *");
  EXPECT_EQ(client.status, 200U) << "the session tells of its listener anew with each exchange";
}

TEST_F(PathHttps, LetsARouteBeServedWithoutTls) {
  route.https_port = 0;
  x.https_port = 443;
  check("GET /.well-known/acme-challenge/x");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathHttps, WritesAsteriskAsAUrlWithoutPath) {
  route.https_port = 443;
  check("OPTIONS *");
  EXPECT_EQ(field("Location"), "https://a.example");
}

TEST_F(PathHttps, RedirectsToTheHostThatWasAskedForAndNoOther) {
  route.https_port = 443;
  check("GET //evil.example/%2e%2e/");
  EXPECT_EQ(client.status, 301U);
  EXPECT_TRUE(field("Location").starts_with("https://a.example/")) << field("Location");
  ask_again("GET http://b.example:8080/a");
  EXPECT_EQ(field("Location"), "https://b.example/a") << "an absolute target names the host";
}

TEST_F(PathHttps, SaysHstsOnEveryAnswerToTls) {
  options.hsts = "max-age=1";
  in_memory("few", "1/hour");
  server.fields = {{http::Known::strict_transport_security, "strict-transport-security", "max-age=7"}};
  x.client_tls = true;
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(hsts(), "max-age=1");
  EXPECT_FALSE(client.fields.contains("strict-transport-security")) << "of two fields a browser reads the first";
  x.client_tls = true;
  ASSERT_TRUE(done);
  x.reset();
  client.forget();
  x.client_tls = true;
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(hsts(), "max-age=1");
}

TEST_F(PathHttps, SaysNoHstsWithoutTls) {
  options.hsts = "max-age=1";
  server.fields = {{http::Known::strict_transport_security, "strict-transport-security", "max-age=7"}};
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(hsts(), "");
  EXPECT_FALSE(client.fields.contains("strict-transport-security"));
}

TEST_F(PathHttps, PassesOnWhatTheServerSaysIfItIsNotConfigured) {
  server.fields = {{http::Known::strict_transport_security, "Strict-Transport-Security", "max-age=7"}};
  x.client_tls = true;
  check("GET /a");
  EXPECT_EQ(hsts(), "max-age=7");
}

}  // namespace
}  // namespace headgate::gateway::test
