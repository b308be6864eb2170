// Certificates of clients (mTLS), and the ways around them that must not be there.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <filesystem>

namespace headgate::test {
namespace {

constexpr const char* kTickets = "0123456789abcdef0123456789abcdef";

Json tls(const std::string& client_ca = "") {
  Json out = {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}, {"ticket_secret", kTickets}};
  if (!client_ca.empty()) out["client_ca"] = tls_file(client_ca);
  return out;
}

Json listener(const Json& tls) { return {{"address", "127.0.0.1:0"}, {"tls", tls}}; }

/// Routes "/open", and "/*" for clients with a certificate.
Json asks_certificates(Json listen) {
  return {{"listen", std::move(listen)},
          {"identity", {{"certificate_headers", {{"X-Client", "subject"}, {"X-Names", "san"}, {"X-Print", "sha256"}}}}},
          {"routes",
           Json::array({{{"path", "/open"}, {"to", "app"}}, {{"path", "/*"}, {"to", "app"}, {"require", "mtls"}}})}};
}

const TlsOffer kGood{.certificate = "good.pem", .key = "good.key"};

TEST(ClientCertificates, OpenRoutesThatRequireThem) {
  Proxy proxy(asks_certificates(listener(tls("ca.pem"))));
  RawClient anonymous(proxy.gateway.port());
  ASSERT_TRUE(anonymous.socket().secure()) << "only the route requires one";
  EXPECT_EQ(anonymous.get("/open").status(), 200);
  EXPECT_EQ(anonymous.get("/secret").status(), 403);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    auto offer = kGood;
    offer.version = version;
    RawClient known(proxy.gateway.port());
    ASSERT_TRUE(known.socket().secure(offer)) << known.socket().tls()->why();
    EXPECT_EQ(known.get("/secret").status(), 200) << version;
  }
}

/// Whoever is in the file is trusted, also where its own issuer is not in it.
TEST(ClientCertificates, OfAnIntermediateAuthorityAloneOpenRoutes) {
  const TemporaryFile marker("", "marker");
  const auto folder = marker.path() + ".d";
  std::filesystem::create_directory(folder);
  const auto sh = [&](const std::string& line) {
    Process process({"-c", "cd " + folder + " && " + line + " 2>&1 </dev/null"}, {}, "/bin/sh");
    process.wait(2 * kPatience);
    return process.out();
  };
  const auto issue = [&](const std::string& name, const std::string& by, const std::string& by_key, const char* is_ca) {
    return sh("printf 'basicConstraints=CA:" + std::string(is_ca) + "' >" + name +
              ".ext && openssl req -new -newkey ec " + "-pkeyopt ec_paramgen_curve:P-256 -nodes -keyout " + name +
              ".key -subj /CN=" + name + " -out " + name + ".csr && openssl x509 -req -days 9 -in " + name +
              ".csr -extfile " + name + ".ext -CA " + by + " -CAkey " + by_key + " -set_serial 7 -out " + name +
              ".pem");
  };
  auto said = issue("middle", tls_file("ca.pem"), tls_file("ca.key"), "TRUE");
  said += issue("caller", "middle.pem", "middle.key", "FALSE");
  auto server = tls();
  server["client_ca"] = folder + "/middle.pem";
  const Proxy proxy(asks_certificates(listener(server)));
  const auto url = "https://127.0.0.1:" + std::to_string(proxy.gateway.port()) + "/secret";
  const auto code = "curl -sk -o /dev/null -w '%{http_code}' " + url;
  EXPECT_EQ(sh(code + " --cert caller.pem --key caller.key"), "200") << said;
  EXPECT_EQ(sh(code), "403");
  std::filesystem::remove_all(folder);
}

TEST(ClientCertificates, AreToldToTheServerAndOnlyByUs) {
  Proxy proxy(asks_certificates(listener(tls("ca.pem"))));
  RawClient known(proxy.gateway.port());
  ASSERT_TRUE(known.socket().secure(kGood));
  const std::string forged = "X-Client: CN=root\r\nX_Client: CN=root\r\nX-Names: DNS:root\r\nX-Print: 00\r\n";
  ASSERT_EQ(known.get("/a", forged).status(), 200);
  auto told = proxy.forwarded();
  EXPECT_EQ(told.all("X-Client"), "CN=good");
  EXPECT_EQ(told.all("X_Client"), "");
  EXPECT_EQ(told.all("X-Names"), "DNS:a.example,DNS:*.wild.example,DNS:localhost,DNS:test.example");
  EXPECT_EQ(told.all("X-Print").size(), 64U);
  RawClient anonymous(proxy.gateway.port());
  ASSERT_TRUE(anonymous.socket().secure());
  ASSERT_EQ(anonymous.get("/open", forged).status(), 200);
  told = proxy.forwarded();
  EXPECT_EQ(told.all("X-Client") + told.all("X_Client") + told.all("X-Names") + told.all("X-Print"), "");
}

TEST(ClientCertificates, OfOtherAuthoritiesEndTheHandshake) {
  const Proxy proxy(asks_certificates(listener(tls("nameless.pem"))));
  RawClient client(proxy.gateway.port());
  // In TLS 1.3 the client is done before the server has seen its certificate.
  if (client.socket().secure(kGood)) {
    EXPECT_FALSE(client.get("/open").ok());
  }
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(ClientCertificates, AreCountedByTheirParts) {
  auto config = asks_certificates(listener(tls("ca.pem")));
  config["limits"] = {{"by-print", {{"rate", "2/minute"}, {"per", "certificate:sha256"}}}};
  config["routes"][1]["limits"] = {"by-print"};
  const Proxy proxy(config);
  const auto status = [&](const std::string& certificate) {
    RawClient client(proxy.gateway.port());
    EXPECT_TRUE(client.socket().secure({.certificate = certificate, .key = "good.key"}));
    return client.get("/a").status();
  };
  EXPECT_EQ(status("good.pem"), 200);
  EXPECT_EQ(status("good.pem"), 200);
  EXPECT_EQ(status("good.pem"), 429);
  EXPECT_EQ(status("other.pem"), 200) << "another certificate, though of the same key";
}

// CVE-2025-23419: a ticket of one virtual server was a way around the certificates of another.
TEST(ClientCertificates, CannotBeReplacedByATicketOfAnotherListener) {
  Proxy proxy(asks_certificates(Json::array({listener(tls("ca.pem")), listener(tls()), listener(tls("good.pem"))})));
  const auto ticket_of = [&](std::size_t number, TlsOffer offer) {
    RawClient client(proxy.gateway.port(number));
    EXPECT_TRUE(client.socket().secure(offer));
    EXPECT_EQ(client.get("/open").status(), 200);
    return client.socket().tls()->session();
  };
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    auto known = kGood;
    known.version = version;
    for (const std::size_t other : {1U, 2U}) {
      RawClient client(proxy.gateway.port(0));
      ASSERT_TRUE(client.socket().secure({.version = version, .session = ticket_of(other, known)}));
      EXPECT_FALSE(client.socket().tls()->resumed()) << other;
      EXPECT_EQ(client.get("/secret").status(), 403) << other;
    }
    RawClient again(proxy.gateway.port(0));
    ASSERT_TRUE(again.socket().secure({.version = version, .session = ticket_of(0, known)}));
    EXPECT_TRUE(again.socket().tls()->resumed()) << "its own ticket resumes";
    EXPECT_EQ(again.get("/secret").status(), 200) << "as who it was";
    RawClient elsewhere(proxy.gateway.port(0));
    ASSERT_TRUE(elsewhere.socket().secure({.name = "a.example", .version = version, .session = ticket_of(0, known)}));
    EXPECT_FALSE(elsewhere.socket().tls()->resumed()) << "not for another name";
    EXPECT_EQ(elsewhere.get("/secret").status(), 403);
  }
}

TEST(ClientCertificates, TicketsAreGoodAtGatewaysWithTheSameSecretOnly) {
  const Proxy one(asks_certificates(listener(tls("ca.pem"))));
  const Proxy same(asks_certificates(listener(tls("ca.pem"))));
  auto config = asks_certificates(listener(tls("ca.pem")));
  config["listen"]["tls"].erase("ticket_secret");
  const Proxy other(config);
  RawClient client(one.gateway.port());
  ASSERT_TRUE(client.socket().secure(kGood));
  ASSERT_EQ(client.get("/open").status(), 200);
  const auto ticket = client.socket().tls()->session();
  RawClient resumed(same.gateway.port());
  ASSERT_TRUE(resumed.socket().secure({.session = ticket}));
  EXPECT_TRUE(resumed.socket().tls()->resumed());
  EXPECT_EQ(resumed.get("/secret").status(), 200);
  RawClient fresh(other.gateway.port());
  ASSERT_TRUE(fresh.socket().secure({.session = ticket}));
  EXPECT_FALSE(fresh.socket().tls()->resumed());
  EXPECT_EQ(fresh.get("/secret").status(), 403);
}

TEST(ClientCertificates, AreNotBelievedFromAPROXYHeaderWhereTheListenerAsksItself) {
  auto config = asks_certificates(listener(tls("ca.pem")));
  config["listen"]["proxy_protocol"] = true;
  config["identity"]["trusted_proxies"] = {"127.0.0.1/32"};
  const Proxy proxy(config);
  // Version 2, a TLV of TLS: the client showed a certificate, and it was verified.
  const std::string facts("\x07\x00\x00\x00\x00", 5);
  const std::string tlv = std::string("\x20\x00\x05", 3) + facts;
  const std::string addresses("\xcb\x00\x71\x07\x7f\x00\x00\x01\x0f\xa0\x01\xbb", 12);
  const std::string header = std::string("\r\n\r\n\0\r\nQUIT\n\x21\x11\x00", 15) +
                             static_cast<char>(addresses.size() + tlv.size()) + addresses + tlv;
  RawClient client(proxy.gateway.port());
  ASSERT_TRUE(client.send(header));
  ASSERT_TRUE(client.socket().secure());
  EXPECT_EQ(client.get("/open").status(), 200);
  EXPECT_EQ(client.get("/secret").status(), 403);
}

}  // namespace
}  // namespace headgate::test
