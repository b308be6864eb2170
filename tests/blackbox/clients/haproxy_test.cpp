// A real HAProxy in front: its PROXY headers are read correctly.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/harness/tls_client.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

TEST(BehindHaproxyWithTls, TheClientIsWhoConnectedToIt) {
  if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  const Json tls = {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}};
  Proxy proxy(Json({{"listen", {{"address", "127.0.0.1:0"}, {"proxy_protocol", true}, {"tls", tls}}},
                    {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}}}));
  RealServer front = haproxy(
      "", proxy.gateway.port(),
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
  if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  Proxy proxy({{"listen", {{"address", "127.0.0.1:0"}, {"proxy_protocol", true}}},
               {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}}});
  RealServer front = haproxy("", proxy.gateway.port(), GetParam());
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
