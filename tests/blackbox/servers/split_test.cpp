// Routes that split their requests, with real servers.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

/// "app" and "next" with these weights, chosen by the field X-User.
Json split_between(const FakeUpstream& next, int app_weight, int next_weight) {
  return {{"upstreams", {{"next", next.url()}}},
          {"log", {{"access", "stdout"}, {"format", "json"}}},
          {"routes", Json::array({{{"path", "/*"},
                                   {"to", Json::array({{{"upstream", "app"}, {"weight", app_weight}},
                                                       {{"upstream", "next"},
                                                        {"weight", next_weight},
                                                        {"when", {{"header", {{"X-Canary", "1"}}}}}}})},
                                   {"split_by", "header:X-User"}}})}};
}

TEST(Split, SharesAreAsWeightsSayAndEachKeyKeepsItsUpstream) {
  FakeUpstream next;
  Proxy proxy(split_between(next, 3, 1));
  RawClient client = proxy.client();
  constexpr int kUsers = 200;
  for (int i = 0; i < kUsers; ++i) EXPECT_EQ(client.get("/", "X-User: " + std::to_string(i) + "\r\n").status(), 200);
  const auto first = next.request_count();
  EXPECT_EQ(first + proxy.upstream.request_count(), std::size_t{kUsers});
  EXPECT_GT(first, 20U);
  EXPECT_LT(first, 90U);
  for (int i = 0; i < kUsers; ++i) client.get("/", "X-User: " + std::to_string(i) + "\r\n");
  EXPECT_EQ(next.request_count(), 2 * first) << "the same users";
}

TEST(Split, ARequestThatAsksForAnUpstreamGetsItAndTheLogNamesIt) {
  FakeUpstream next;
  Proxy proxy(split_between(next, 1, 0));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/a").status(), 200);
  EXPECT_EQ(next.request_count(), 0U);
  EXPECT_EQ(client.get("/b", "X-Canary: 1\r\n").status(), 200);
  EXPECT_EQ(next.request_count(), 1U);
  EXPECT_EQ(proxy.gateway.terminate(), 0);
  const auto log = proxy.gateway.process().out();
  EXPECT_NE(log.find(R"("upstream":"next")"), std::string::npos) << log;
  EXPECT_NE(log.find(R"("upstream":"app")"), std::string::npos) << log;
}

}  // namespace
}  // namespace headgate::test
