// TLS to Redis and to Sentinels, and which certificates are trusted.
#include "redis_fixture.hpp"
#include "support/certificates.hpp"
#include "support/free_port.hpp"
#include "support/redis_cli.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace headgate::redis {
namespace {

using testing::HasSubstr;

class RedisTls : public RedisLimiter {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (!test::Certificates::possible()) GTEST_SKIP() << "no openssl on this machine";
    ASSERT_TRUE(files.make("server", "DNS:redis.example,DNS:localhost,IP:127.0.0.1"));
    ASSERT_TRUE(files.make("client", "DNS:gateway"));
  }
  /// A server with TLS on the port of the options, and without on its own port for command().
  void start_tls(const std::string& clients = "no") {
    const auto port = test::free_port();
    start({"--tls-port", std::to_string(port), "--tls-cert-file", files.path("server.crt"), "--tls-key-file",
           files.path("server.key"), "--tls-ca-cert-file", files.path("ca.crt"), "--tls-auth-clients", clients});
    options.nodes[0].port = port;
    options.timeout = 500ms;
    options.tls.emplace();
    options.tls->ca = files.path("ca.crt");
  }
  std::string why_not() {
    SharedLimiter limiter(loop, options);
    EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
    limiter.stop();
    const std::string text = log.str();
    const auto at = text.rfind("reason=");
    return at == std::string::npos ? std::string() : text.substr(at);
  }

  test::Certificates files;
};

TEST_F(RedisTls, DecidesOverAnEncryptedConnectionWithOneWriteATurn) {
  start_tls();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed()) << log.str();
  const auto before = limiter.counters();
  const auto answers = ask_many(limiter, 500);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.allowed(); }), 9);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.rejected(); }), 491);
  EXPECT_LE(limiter.counters().writes - before.writes, 3u);
  limiter.stop();
}

TEST_F(RedisTls, RecoversFromAnOutageAsWithoutIt) {
  start_tls();
  rule = rule_of(1000, 24h);
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed()) << log.str();
  redis.kill9();
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

TEST_F(RedisTls, TrustsACertificateOnlyForTheNameOrAddressConnectedTo) {
  start_tls();
  for (const char* host : {"127.0.0.1", "localhost"}) {
    options.nodes[0].host = host;
    SharedLimiter limiter(loop, options);
    EXPECT_TRUE(decide_until(limiter, [](const Answer& a) { return a.result->has_value(); })) << host << log.str();
    limiter.stop();
  }
  options.nodes[0].host = "127.0.0.1";
  options.tls->server_name = "redis.example";
  {
    SharedLimiter limiter(loop, options);
    EXPECT_TRUE(decide_until(limiter, [](const Answer& a) { return a.result->has_value(); })) << log.str();
    limiter.stop();
  }
  options.tls->server_name = "other.example";
  EXPECT_THAT(why_not(), HasSubstr("its certificate is not trusted: hostname mismatch"));
  options.tls->server_name = "127.0.0.2";
  EXPECT_THAT(why_not(), HasSubstr("its certificate is not trusted: IP address mismatch"));
  options.tls->verify = false;
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide_until(limiter, [](const Answer& a) { return a.result->has_value(); })) << log.str();
  limiter.stop();
}

TEST_F(RedisTls, TrustsOnlyTheConfiguredAuthority) {
  start_tls();
  const test::Certificates others;
  options.tls->ca = others.path("ca.crt");
  EXPECT_THAT(why_not(), HasSubstr("its certificate is not trusted"));
  options.tls->ca.clear();
  EXPECT_THAT(why_not(), HasSubstr("its certificate is not trusted")) << "nor does the system know it";
}

TEST_F(RedisTls, SendsItsOwnCertificateIfRedisAsksForOne) {
  start_tls("yes");
  EXPECT_THAT(why_not(), HasSubstr("TLS: "));
  options.tls->certificate = files.path("client.crt");
  options.tls->key = files.path("client.key");
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed()) << log.str();
  limiter.stop();
}

TEST_F(RedisTls, FailsWithAServerWithoutTlsAndIsNotTurnedOffForIt) {
  start();
  options.tls.emplace();
  options.tls->ca = files.path("ca.crt");
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(run_until([&] { return logged("the TLS handshake did not end within 1s") == 1; })) << log.str();
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  limiter.stop();
}

TEST_F(RedisTls, NeverConnectsInPlainIfItsFilesAreMissing) {
  start();
  options.tls.emplace();
  options.tls->ca = files.path("missing.crt");
  EXPECT_THAT(why_not(), HasSubstr("TLS cannot be used: cannot read the CA file"));
  EXPECT_EQ(command({"DBSIZE"}), ":0");
}

TEST_F(RedisTls, AlsoReachesTheSentinels) {
  start_tls();
  test::RedisServer sentinel;
  const auto port = test::free_port();
  ASSERT_TRUE(sentinel.start_sentinel("tls-port " + std::to_string(port) + "\ntls-cert-file " +
                                      files.path("server.crt") + "\ntls-key-file " + files.path("server.key") +
                                      "\ntls-ca-cert-file " + files.path("ca.crt") +
                                      "\ntls-auth-clients no\ntls-replication yes\nsentinel monitor shop 127.0.0.1 " +
                                      std::to_string(options.nodes[0].port) + " 1"))
      << sentinel.error();
  options.topology = Topology::sentinel;
  options.master = "shop";
  options.nodes = {{"127.0.0.1", port}};
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed()) << log.str();
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
