// Real clients over TLS: OpenSSL's s_client, curl, Node and Python.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace headgate::test {
namespace {

/// What a line of the shell wrote to both outputs.
std::string shell(const std::string& line) {
  Process process({"-c", line + " 2>&1"}, {}, "/bin/sh");
  process.wait(2 * kPatience);
  return process.out();
}

class TlsClients : public testing::Test {
 protected:
  static Json config() {
    const auto pair = [](const char* certificate, const char* key) {
      return Json{{"certificate", tls_file(certificate)}, {"key", tls_file(key)}};
    };
    return {{"listen",
             {{"address", "127.0.0.1:0"},
              {"tls",
               {{"certificates", Json::array({pair("good.pem", "good.key"), pair("rsa.pem", "rsa.key")})},
                {"client_ca", tls_file("ca.pem")}}}}},
            {"routes", Json::array({{{"path", "/*"}, {"to", "app"}},
                                    {{"path", "/small"}, {"to", "app"}, {"max_body", "1KiB"}},
                                    {{"path", "/mine"}, {"to", "app"}, {"require", "mtls"}}})}};
  }
  std::string s_client(const std::string& options, const std::string& input = "</dev/null") const {
    const auto line = "openssl s_client -connect 127.0.0.1:" + std::to_string(proxy.gateway.port()) + " -CAfile " +
                      tls_file("ca.pem") + ' ' + options;
    return shell(input.front() == '<' ? line + ' ' + input : '(' + input + ") | " + line);
  }
  std::string curl(const std::string& options, const std::string& path = "/") const {
    return shell(curl_line(options, path));
  }
  std::string curl_line(const std::string& options, const std::string& path) const {
    return "curl -sS --cacert " + tls_file("ca.pem") + " --resolve localhost:" + std::to_string(proxy.gateway.port()) +
           ":127.0.0.1 " + options + " https://localhost:" + std::to_string(proxy.gateway.port()) + path;
  }
  std::string script(const std::string& program, const std::string& name) const {
    return shell(program + ' ' + std::string(HEADGATE_SOURCE_DIR) + "/tests/blackbox/clients/" + name + ' ' +
                 std::to_string(proxy.gateway.port()) + ' ' + tls_file("ca.pem"));
  }

  const Proxy proxy{config()};
};

TEST_F(TlsClients, OfOpenSslGetEachNamesCertificate) {
  EXPECT_TRUE(has(s_client("-servername a.example -sigalgs ECDSA+SHA256"), "subject=CN = good"));
  EXPECT_TRUE(has(s_client("-servername RSA.example."), "subject=CN = rsa"));
  EXPECT_TRUE(has(s_client("-servername x.wild.example"), "subject=CN = good"));
  EXPECT_TRUE(has(s_client("-noservername"), "subject=CN = good"));
}

TEST_F(TlsClients, OfOpenSslSpeakOnlyWhatIsSafe) {
  for (const char* old : {"-tls1 -cipher ALL@SECLEVEL=0", "-tls1_1 -cipher ALL@SECLEVEL=0"}) {
    const auto said = s_client(old);
    EXPECT_TRUE(has(said, "alert protocol version")) << said;
  }
  for (const char* weak : {"AES128-SHA", "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA"}) {
    const auto said = s_client(std::string("-tls1_2 -cipher ") + weak + "@SECLEVEL=0");
    EXPECT_TRUE(has(said, "alert handshake failure")) << said;
  }
  const auto spoken = s_client("-tls1_2");
  EXPECT_TRUE(has(spoken, "Compression: NONE")) << spoken;
  EXPECT_TRUE(has(spoken, "Extended master secret: yes"));
  const auto newest =
      s_client("-tls1_3 -ign_eof", "printf 'GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n'");
  EXPECT_TRUE(has(newest, "HTTP/1.1 200")) << newest;
  EXPECT_TRUE(has(newest, "Max Early Data: 0")) << newest;
  EXPECT_TRUE(has(newest, "Verify return code: 0 (ok)"));
}

TEST_F(TlsClients, OfOpenSslCannotRenegotiate) {
  const auto said = s_client("-tls1_2", "sleep 0.3; echo R; sleep 0.5");
  EXPECT_TRUE(has(said, "RENEGOTIATING")) << said;
  EXPECT_TRUE(has(said, "no renegotiation") || has(said, "unexpected eof") || has(said, "wrong version")) << said;
  EXPECT_EQ(said.find("depth=", said.find("RENEGOTIATING")), std::string::npos) << "there was no second handshake";
}

TEST_F(TlsClients, Curl) {
  if (shell("curl --version").find("curl 7") != 0) GTEST_SKIP() << "no curl on this machine";
  const std::string code = "-o /dev/null -w '%{http_code} %{http_version} %{num_connects} '";
  EXPECT_EQ(curl(code), "200 2 1 ") << "it offers h2 first";
  EXPECT_EQ(curl(code + " --http1.1"), "200 1.1 1 ");
  EXPECT_EQ(curl(code + " --no-alpn"), "200 1.1 1 ");
  EXPECT_EQ(curl(code + " --tls-max 1.2"), "200 2 1 ");
  EXPECT_EQ(curl(code, "/mine"), "403 2 1 ");
  EXPECT_EQ(curl(code + " --cert " + tls_file("good.pem") + " --key " + tls_file("good.key"), "/mine"), "200 2 1 ");
  EXPECT_TRUE(has(curl("--tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0"), "alert protocol version"));
  EXPECT_EQ(curl("-o /dev/null -w '%{http_code}' --data-binary @" + tls_file("make.py") + " -H 'Expect:'", "/small"),
            "413");
}

TEST_F(TlsClients, CurlHearsWhyItsUploadIsRefusedWhileItIsStillSending) {
  if (shell("curl --version").find("curl 7") != 0) GTEST_SKIP() << "no curl on this machine";
  const auto line = curl_line("-o /dev/null -w '%{http_code} %{http_version}' -T - -H 'Expect:'", "/small");
  EXPECT_EQ(shell("(head -c 2000 /dev/zero; sleep 0.2; head -c 2000 /dev/zero; sleep 0.2) | " + line), "413 2");
}

TEST_F(TlsClients, Node) {
  if (shell("node --version").find('v') != 0) GTEST_SKIP() << "no node on this machine";
  EXPECT_EQ(script("node", "secure.js"), "200 200 true true TLSv1.3\nresumed true\nok\n");
}

TEST_F(TlsClients, Python) {
  if (shell("/usr/bin/python3 -c 'import httpx' && echo yes") != "yes\n") GTEST_SKIP() << "no httpx on this machine";
  EXPECT_EQ(script("/usr/bin/python3", "secure.py"), "200 200 True HTTP/1.1\n413\nok\n");
}

}  // namespace
}  // namespace headgate::test
