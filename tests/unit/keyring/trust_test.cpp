// Which server is trusted to be that of the issuer.
#include "keyring_fixture.hpp"
#include "publisher.hpp"
#include "support/certificates.hpp"

#include "headgate/keyring/authorities.hpp"

#include <filesystem>

namespace headgate::keyring::test {
namespace {

class KeyringTrust : public KeyringTest {
 protected:
  void SetUp() override {
    if (!headgate::test::Certificates::possible()) GTEST_SKIP() << "no openssl on this machine";
    add_issuer().keys.jwks_ca = files.path("ca.crt");
  }
  identity::JwtKeySource& source() { return options.jwt->issuers[0].keys; }
  /// A server with a certificate for `whom`, asked for as `host`.
  void serve(const std::string& whom, const std::string& host = "127.0.0.1") {
    ASSERT_TRUE(files.make("server", whom));
    publisher.emplace(files.path("server.crt"), files.path("server.key"));
    publisher->answers(answer("200 OK", jwk_set({"one"})));
    source().jwks_url = "https://" + host + ":" + std::to_string(publisher->port()) + "/keys";
  }

  headgate::test::Certificates files;
  std::optional<Publisher> publisher;
};

TEST_F(KeyringTrust, IsInACertificateForTheAddressOrTheName) {
  for (const char* host : {"127.0.0.1", "localhost"}) {
    serve("DNS:localhost,IP:127.0.0.1", host);
    start();
    EXPECT_TRUE(run_until([&] { return believes("one"); })) << report().trouble;
    keyring->stop();
  }
}

TEST_F(KeyringTrust, IsNotInACertificateForSomebodyElse) {
  serve("DNS:other.example,IP:127.0.0.2");
  start();
  ASSERT_TRUE(run_until_failed());
  EXPECT_EQ(report().trouble, "its certificate is not trusted: IP address mismatch");
  keyring->stop();
  serve("DNS:other.example,IP:127.0.0.1", "localhost");
  start();
  ASSERT_TRUE(run_until_failed());
  EXPECT_EQ(report().trouble, "its certificate is not trusted: hostname mismatch");
  EXPECT_TRUE(publisher->requests().empty()) << "it is told nothing, then";
}

TEST_F(KeyringTrust, IsInNoAuthorityButTheOneGiven) {
  serve("IP:127.0.0.1");
  const headgate::test::Certificates others;
  for (const auto& authorities : {others.path("ca.crt"), std::string()}) {
    source().jwks_ca = authorities;
    start();
    ASSERT_TRUE(run_until_failed());
    EXPECT_THAT(report().trouble, testing::StartsWith("its certificate is not trusted: ")) << authorities;
    keyring->stop();
  }
}

TEST_F(KeyringTrust, IsInTheAuthoritiesAsTheyAreNow) {
  serve("IP:127.0.0.1");
  const headgate::test::Certificates others;
  const auto path = files.path("authorities.pem");
  std::filesystem::copy_file(others.path("ca.crt"), path);
  source().jwks_ca = path;
  start();
  ASSERT_TRUE(run_until_failed());
  std::filesystem::copy_file(files.path("ca.crt"), path, std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(run_until([&] { return believes("one"); })) << "a renewed file needs no reload";
}

TEST_F(KeyringTrust, IsFoundAgainAfterItsFileWasAway) {
  serve("IP:127.0.0.1");
  const headgate::test::Certificates others;
  const auto path = files.path("authorities.pem");
  std::filesystem::copy_file(others.path("ca.crt"), path);
  source().jwks_ca = path;
  start();
  ASSERT_TRUE(run_until_failed());
  std::filesystem::remove(path);
  ASSERT_TRUE(run_until([&] { return report().trouble == path + ": cannot be read: No such file or directory"; }));
  std::filesystem::copy_file(files.path("ca.crt"), path);
  EXPECT_TRUE(run_until([&] { return believes("one"); })) << report().trouble;
}

TEST_F(KeyringTrust, IsNotAwaitedForEverInTheHandshake) {
  boost::asio::ip::tcp::acceptor silent(loop, {boost::asio::ip::address_v4::loopback(), 0});
  source().jwks_url = "https://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/keys";
  source().fetch_timeout = 30ms;
  start();
  ASSERT_TRUE(run_until_failed());
  EXPECT_EQ(report().trouble, "not done within 30ms: still in its TLS handshake");
}

TEST_F(KeyringTrust, IsNotInAServerThatSpeaksPlainly) {
  Publisher plain;
  source().jwks_url = "https://127.0.0.1:" + std::to_string(plain.port()) + "/keys";
  source().fetch_timeout = 200ms;
  start();
  ASSERT_TRUE(run_until_failed());
  EXPECT_EQ(refusal("one"), "no_keys");
}

TEST_F(KeyringTrust, IsAnErrorAtTheStartIfItsFileIsInvalid) {
  source().jwks_url = "https://127.0.0.1:1/keys";
  source().jwks_ca = "/no/such/ca.pem";
  EXPECT_EQ(why_not_open(), "/no/such/ca.pem: cannot be read: No such file or directory");
  source().jwks_ca = files.path("ca.key");
  EXPECT_EQ(why_not_open(), files.path("ca.key") + ": holds no certificate in PEM");
  EXPECT_EQ(check_authorities(source().jwks_ca).error(), why_not_open()) << "and so does whoever only checks";
  EXPECT_TRUE(check_authorities("").has_value());
}

}  // namespace
}  // namespace headgate::keyring::test
