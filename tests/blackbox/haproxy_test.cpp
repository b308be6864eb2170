// A real HAProxy in front: its PROXY headers are read correctly.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

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
