// Servers with TLS that others have made: whom the gateway trusts, what it shows, and what it resumes.

#include "blackbox/harness/look.hpp"
#include "blackbox/tls/tls_gateway.hpp"

#include <csignal>
#include <fstream>
#include <thread>

namespace headgate::test {
namespace {

class TlsToServers : public WithCertificates {
 protected:
  /// What the access log says of the last request.
  static std::string reason(Gateway& gateway) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!has(gateway.process().out(), "\"reason\":") && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(Milliseconds(10));
    const auto text = gateway.process().out();
    const auto at = text.rfind("\"reason\":\"");
    if (at == std::string::npos) return "";
    return text.substr(at + 10, text.find('"', at + 10) - at - 10);
  }
  /// Why a gateway with this "tls" block gets no answer of this server.
  static std::string why_not(RealServer& server, const Json& tls) {
    EXPECT_TRUE(server.listens()) << server.said();
    Gateway gateway(in_front_of(server.port(), tls));
    expect_problem(gateway.client().get("/"), 502);
    return reason(gateway);
  }
  static std::string nginx_with(const std::string& name, const std::string& more = "") {
    return "ssl_certificate " + files->path(name + ".crt") + ";\nssl_certificate_key " + files->path(name + ".key") +
           ";\n" + more +
           "location / { add_header X-Resumed $ssl_session_reused; add_header X-Client $ssl_client_s_dn; "
           "add_header X-Requests $connection_requests; return 200 \"hello\"; }\n";
  }
  static RealServer nginx_as(const std::string& name, const std::string& more = "") {
    return nginx(files->path(""), nginx_with(name, more));
  }
  static RealServer s_server(const Words& more) {
    return {kOpenssl, [&](std::uint16_t port) {
              Words words{"s_server",
                          "-accept",
                          "127.0.0.1:" + std::to_string(port),
                          "-www",
                          "-cert",
                          files->path("server.crt"),
                          "-key",
                          files->path("server.key")};
              words.insert(words.end(), more.begin(), more.end());
              return words;
            }};
  }
};

TEST_F(TlsToServers, ReachNginxAndKeepTheConnection) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("server");
  ASSERT_TRUE(server.listens()) << server.said();
  Gateway gateway(in_front_of(server.port(), trusting()));
  for (int i = 1; i <= 3; ++i) {
    const auto answer = gateway.client().get("/");
    ASSERT_EQ(answer.status(), 200) << visible(answer.head) << gateway.process().err();
    EXPECT_EQ(answer.body, "hello");
    EXPECT_EQ(answer.value("X-Requests"), std::to_string(i)) << "on one connection";
    EXPECT_EQ(answer.value("X-Resumed"), ".");
  }
}

TEST_F(TlsToServers, AreResumed) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  for (const char* version : {"TLSv1.2", "TLSv1.3"}) {
    RealServer server = nginx_as("server", "keepalive_requests 1;\nssl_protocols " + std::string(version) + ";\n");
    ASSERT_TRUE(server.listens()) << server.said();
    Gateway gateway(in_front_of(server.port(), trusting()));
    std::string resumed;
    for (int i = 0; i < 5; ++i) resumed += gateway.client().get("/").value("X-Resumed");
    EXPECT_EQ(resumed, ".rrrr") << version << ", as nginx counts it";
    const auto metrics = Look(gateway.process()).metrics();
    EXPECT_EQ(metrics.value(R"(headgate_upstream_tls_handshakes_total{upstream="app",result="resumed"})"), 4);
    EXPECT_EQ(metrics.value(R"(headgate_upstream_tls_handshakes_total{upstream="app",result="full"})"), 1);
  }
}

TEST_F(TlsToServers, ReachOpenssl) {
  RealServer server = s_server({});
  ASSERT_TRUE(server.listens()) << server.said();
  Gateway gateway(in_front_of(server.port(), trusting()));
  const auto answer = gateway.client().get("/");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head) << gateway.process().err();
  EXPECT_TRUE(has(answer.body, "TLSv1.3")) << answer.body;
}

TEST_F(TlsToServers, AreNotTrustedUnderAnotherName) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("other");
  EXPECT_EQ(why_not(server, trusting()), "its certificate is not trusted: IP address mismatch");
  Gateway gateway(in_front_of(server.port(), trusting({{"server_name", "other.example"}})));
  EXPECT_EQ(gateway.client().get("/").status(), 200) << "unless the name is told";
}

TEST_F(TlsToServers, AreNotTrustedOnceTheyHaveExpired) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("expired");
  EXPECT_EQ(why_not(server, trusting()), "its certificate is not trusted: certificate has expired");
}

TEST_F(TlsToServers, AreNotTrustedByAnotherAuthority) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("server");
  const Certificates strangers;
  const auto why = why_not(server, {{"ca", strangers.path("ca.crt")}});
  EXPECT_TRUE(has(why, "its certificate is not trusted: ")) << why;
  EXPECT_EQ(why_not(server, Json::object()), "its certificate is not trusted: unable to get local issuer certificate")
      << "nor does the system know it";
  Gateway gateway(in_front_of(server.port(), {{"verify", false}}));
  EXPECT_EQ(gateway.client().get("/").status(), 200) << "unless nothing is verified";
}

TEST_F(TlsToServers, AreTrustedByTheAuthoritiesOfTheSystem) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("server");
  ASSERT_TRUE(server.listens()) << server.said();
  Gateway gateway(Words{"proxy", "--to", server.url("https"), "--listen", "127.0.0.1:0", "--admin", "off"}, 1,
                  {"SSL_CERT_FILE=" + files->path("ca.crt")});
  EXPECT_EQ(gateway.client().get("/").body, "hello") << "as headgate proxy does, which has no options for TLS";
}

TEST_F(TlsToServers, ThatAreNotTrustedAreSaidAndCounted) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("other");
  ASSERT_TRUE(server.listens()) << server.said();
  Gateway gateway(in_front_of(server.port(), trusting()));
  for (int i = 0; i < 20; ++i) expect_problem(gateway.client().get("/"), 502);
  const Look look(gateway.process());
  EXPECT_EQ(look.metrics().value(R"(headgate_upstream_tls_handshakes_total{upstream="app",result="untrusted"})"), 20);
  EXPECT_TRUE(gateway.process().says("upstream_untrusted"));
  const auto log = gateway.process().err();
  std::size_t lines = 0;
  for (auto at = log.find("upstream_untrusted"); at != std::string::npos; at = log.find("upstream_untrusted", at + 1))
    ++lines;
  EXPECT_GE(lines, 1U) << log;
  EXPECT_LT(lines, 12U) << "not one for each request";
}

TEST_F(TlsToServers, SeeTheGatewaysCertificate) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server =
      nginx_as("server", "ssl_client_certificate " + files->path("ca.crt") + ";\nssl_verify_client on;\n");
  ASSERT_TRUE(server.listens()) << server.said();
  {
    Gateway gateway(in_front_of(server.port(), trusting()));
    EXPECT_EQ(gateway.client().get("/").status(), 400) << "nginx says that none was sent";
  }
  Gateway gateway(in_front_of(
      server.port(), trusting({{"certificate", files->path("gateway.crt")}, {"key", files->path("gateway.key")}})));
  const auto answer = gateway.client().get("/");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.value("X-Client"), "CN=gateway");
}

TEST_F(TlsToServers, ThatEndTheHandshakeForLackOfACertificateAreQuoted) {
  for (const bool old : {false, true}) {
    Words words{"-Verify", "1", "-verify_return_error", "-CAfile", files->path("ca.crt")};
    if (old) words.emplace_back("-tls1_2");
    RealServer server = s_server(words);
    const auto why = why_not(server, trusting());
    EXPECT_TRUE(has(why, "TLS: ") && has(why, "alert")) << why;
  }
}

TEST_F(TlsToServers, AreToldWhichNameIsWanted) {
  if (!installed(kNode)) GTEST_SKIP() << "no " << kNode << " on this machine";
  RealServer server(kNode, [&](std::uint16_t port) {
    return Words{std::string(HEADGATE_SOURCE_DIR) + "/tests/blackbox/servers/tls_server.js", files->path("server.crt"),
                 files->path("server.key"), std::to_string(port), "localhost"};
  });
  const auto why = why_not(server, trusting());
  EXPECT_TRUE(has(why, "TLS: ")) << why << ": an address is no name";
  Gateway gateway(in_front_of(server.port(), trusting({{"server_name", "localhost"}})));
  auto client = gateway.client();
  EXPECT_EQ(client.get("/").body, "localhost GET 0");
  const auto answer = client.ask(request_with_body("POST", "/", std::string(500'000, 'x')));
  EXPECT_EQ(answer.body, "localhost POST 500000");
}

TEST_F(TlsToServers, ThatHaveOnlyTls11AreRefused) {
  RealServer server = s_server({"-tls1_1", "-cipher", "ALL:@SECLEVEL=0"});
  const auto why = why_not(server, trusting());
  EXPECT_TRUE(has(why, "TLS: ") && has(why, "protocol")) << why;
}

TEST_F(TlsToServers, WithoutTlsAreNotSpokenToInPlain) {
  FakeUpstream plain;
  Gateway gateway(in_front_of(plain.port(), trusting()));
  expect_problem(gateway.client().get("/"), 502);
  EXPECT_EQ(plain.request_count(), 0U);
  EXPECT_TRUE(has(reason(gateway), "TLS: ")) << reason(gateway);
}

TEST_F(TlsToServers, ThatSayNothingEndWithTheConnectTimeout) {
  const Socket silent = Socket::listen();
  Gateway gateway(
      in_front_of(silent.local_port(), trusting(), {{"upstreams", {{"app", {{"connect_timeout", "300ms"}}}}}}));
  const auto begun = std::chrono::steady_clock::now();
  expect_problem(gateway.client().get("/"), 504);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, Milliseconds(3000));
  EXPECT_EQ(reason(gateway), "it did not complete the TLS handshake in time");
}

TEST_F(TlsToServers, ThatCloseWithoutCloseNotifyHaveCutTheirAnswer) {
  if (!installed(kPython)) GTEST_SKIP() << "no " << kPython << " on this machine";
  RealServer server(kPython, [&](std::uint16_t port) {
    return Words{std::string(HEADGATE_SOURCE_DIR) + "/tests/blackbox/servers/tls_server.py", files->path("server.crt"),
                 files->path("server.key"), std::to_string(port)};
  });
  ASSERT_TRUE(server.listens()) << server.said();
  Gateway gateway(in_front_of(server.port(), trusting()));
  for (const char* path : {"/announced", "/length"}) {
    const auto whole = gateway.client().get(path);
    EXPECT_TRUE(whole.ok()) << path << whole.error;
    EXPECT_EQ(whole.body, "seven b") << path;
  }
  EXPECT_FALSE(gateway.client().get("/cut").ok()) << "the caller must not take a part for the whole";
  EXPECT_EQ(reason(gateway), "it closed without the close_notify of TLS, so its answer may be cut off");
}

/// A gateway whose files the test replaces.
class TlsReload : public TlsToServers {
 protected:
  static bool reload(Gateway& gateway) {
    const auto count = [](const std::string& text) {
      std::size_t found = 0;
      for (auto at = text.find("config_reloaded"); at != std::string::npos; at = text.find("config_reloaded", at + 1))
        ++found;
      return found;
    };
    const auto before = count(gateway.process().err());
    gateway.process().signal(SIGHUP);
    return gateway.process().wait_for_err([&](const std::string& log) { return count(log) > before; });
  }
};

TEST_F(TlsReload, KeepsTheConnectionsWhileTheFilesAreTheSame) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("server");
  ASSERT_TRUE(server.listens()) << server.said();
  Gateway gateway(in_front_of(server.port(), trusting()));
  EXPECT_EQ(gateway.client().get("/").value("X-Requests"), "1");
  ASSERT_TRUE(reload(gateway));
  EXPECT_EQ(gateway.client().get("/").value("X-Requests"), "2");
  EXPECT_FALSE(has(gateway.process().err(), "upstream_tls_changed"));
}

TEST_F(TlsReload, ForgetsWhatAnAuthorityVouchedForThatIsTrustedNoLonger) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server = nginx_as("server");
  ASSERT_TRUE(server.listens()) << server.said();
  std::ifstream ours(files->path("ca.crt"));
  const TemporaryFile trusted(std::string(std::istreambuf_iterator<char>(ours), {}), "ca.pem");
  Gateway gateway(in_front_of(server.port(), {{"ca", trusted.path()}}));
  EXPECT_EQ(gateway.client().get("/").status(), 200);
  const Certificates strangers;
  std::ifstream theirs(strangers.path("ca.crt"));
  std::ofstream(trusted.path(), std::ios::trunc) << theirs.rdbuf();
  EXPECT_EQ(gateway.client().get("/").status(), 200) << "nobody has said that the file is new";
  ASSERT_TRUE(reload(gateway));
  EXPECT_TRUE(gateway.process().says("upstream_tls_changed"));
  EXPECT_EQ(gateway.client().get("/").status(), 502) << "no pooled connection and no session helps";
}

TEST_F(TlsReload, ShowsTheCertificateThatWasRenewed) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  RealServer server =
      nginx_as("server", "ssl_client_certificate " + files->path("ca.crt") + ";\nssl_verify_client on;\n");
  ASSERT_TRUE(server.listens()) << server.said();
  const TemporaryFile folder("");
  const auto certificate = folder.path() + ".crt";
  const auto key = folder.path() + ".key";
  const auto use = [&](const std::string& name) {
    std::ofstream(certificate) << std::ifstream(files->path(name + ".crt")).rdbuf();
    std::ofstream(key) << std::ifstream(files->path(name + ".key")).rdbuf();
  };
  use("gateway");
  Gateway gateway(in_front_of(server.port(), trusting({{"certificate", certificate}, {"key", key}})));
  EXPECT_EQ(gateway.client().get("/").value("X-Client"), "CN=gateway");
  use("other");
  ASSERT_TRUE(reload(gateway));
  EXPECT_EQ(gateway.client().get("/").value("X-Client"), "CN=other");
  std::ofstream(key, std::ios::trunc) << "half a file";
  gateway.process().signal(SIGHUP);
  ASSERT_TRUE(gateway.process().wait_for_err([](const std::string& log) { return has(log, "config_refused"); }));
  EXPECT_EQ(gateway.client().get("/").value("X-Client"), "CN=other") << "a bad file changes nothing";
}

}  // namespace
}  // namespace headgate::test
