// A real HAProxy in front: its PROXY headers are read correctly.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace headgate::test {
namespace {

const std::string kHaproxy = "/usr/sbin/haproxy";

/// HAProxy, passing bytes on to `port` with those options of its server line. Ended with the test.
class Haproxy {
 public:
  Haproxy(std::uint16_t to, const std::string& options)
      : port_(Socket::listen().local_port()),
        file_(configuration(port_, to, options), "haproxy.cfg"),
        process_({"-db", "-f", file_.path()}, {}, kHaproxy) {}

  /// Whether it listens, in time.
  bool listens() {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (process_.runs() && std::chrono::steady_clock::now() < until) {
      if (Socket::connect(port_).is_open()) return true;
      std::this_thread::sleep_for(Milliseconds(5));
    }
    return false;
  }
  std::uint16_t port() const { return port_; }
  std::string said() const { return process_.err(); }

 private:
  static std::string configuration(std::uint16_t port, std::uint16_t to, const std::string& options) {
    return "defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n"
           "listen front\n  bind 127.0.0.1:" +
           std::to_string(port) + "\n  server gateway 127.0.0.1:" + std::to_string(to) + ' ' + options + '\n';
  }

  std::uint16_t port_;
  TemporaryFile file_;
  Process process_;
};

TEST(BehindHaproxyWithTls, TheClientIsWhoConnectedToIt) {
  if (::access(kHaproxy.c_str(), X_OK) != 0) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  const Json tls = {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}};
  Proxy proxy(Json({{"listen", {{"address", "127.0.0.1:0"}, {"proxy_protocol", true}, {"tls", tls}}},
                    {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}}}));
  Haproxy front(
      proxy.gateway.port(),
      "send-proxy-v2 ssl verify required sni str(localhost) verifyhost localhost ca-file " + tls_file("ca.pem"));
  ASSERT_TRUE(front.listens()) << front.said();
  RawClient client(front.port(), "127.0.0.3");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(client.get("/").status(), 200) << front.said();
    EXPECT_EQ(proxy.forwarded().all("X-Forwarded-For"), "127.0.0.3");
    EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Proto"), "https");
  }
}

class BehindHaproxy : public testing::TestWithParam<std::string> {};

TEST_P(BehindHaproxy, TheClientIsWhoConnectedToIt) {
  if (::access(kHaproxy.c_str(), X_OK) != 0) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  Proxy proxy({{"listen", {{"address", "127.0.0.1:0"}, {"proxy_protocol", true}}},
               {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}}});
  Haproxy front(proxy.gateway.port(), GetParam());
  ASSERT_TRUE(front.listens()) << front.said();
  for (const char* source : {"127.0.0.3", "127.0.0.4"}) {
    RawClient client(front.port(), source);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(client.get("/").status(), 200);
      EXPECT_EQ(proxy.forwarded().all("X-Forwarded-For"), source);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Options, BehindHaproxy,
                         testing::Values("send-proxy", "send-proxy-v2",
                                         "send-proxy-v2 proxy-v2-options crc32c,unique-id,authority",
                                         "send-proxy-v2-ssl-cn"));

}  // namespace
}  // namespace headgate::test
