// Limits of libraries, which no product of its own runs: their translations refuse as many requests as they allow.

#include "blackbox/harness/imported.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

/// How many of `count` requests, one after the other, are answered with 200; the others are refused with 429.
int let_in(const Gateway& gateway, const std::string& target, int count) {
  int out = 0;
  for (int i = 0; i < count; ++i) {
    const auto status = RawClient(gateway.port()).get(target).status();
    EXPECT_TRUE(status == 200 || status == 429) << target << ": " << status;
    if (status == 200) ++out;
  }
  return out;
}

TEST(ImportedBucket4j, AllowsAsManyAsItsBandwidths) {
  const FakeUpstream app;
  auto config = imported_config(R"y(bucket4j:
  filters:
  - {cache-name: api, url: /api/.*, rate-limits: [{cache-key: getRemoteAddr(), bandwidths: [
      {capacity: 3, time: 10, unit: hours}, {capacity: 100, time: 1, unit: days, refill-speed: interval}]}]}
  - {cache-name: login, url: /login, rate-limits: [{cache-key: getRemoteAddr(), num-tokens: 2, bandwidths: [
      {capacity: 4, refill-capacity: 1, time: 10, unit: hours}]}]}
)y",
                                "application.yml");
  config["upstreams"]["app"] = app.url();
  const Gateway gateway(config);
  EXPECT_EQ(let_in(gateway, "/api/x", 5), 3);
  EXPECT_EQ(let_in(gateway, "/login", 4), 2);
  EXPECT_EQ(let_in(gateway, "/other", 5), 5);
}

TEST(ImportedResilience4j, AllowsAsManyAsItsLimiters) {
  const FakeUpstream app;
  auto config = imported_config(R"y(resilience4j:
  ratelimiter:
    configs: {default: {limit-for-period: 4, limit-refresh-period: 10h, timeout-duration: 0}}
    instances:
      few: {limit-for-period: 2}
      some: {}
)y",
                                "application.yml");
  config["upstreams"]["app"] = app.url();
  config["routes"] = Json::array({{{"path", "/few"}, {"to", "app"}, {"limits", {"few"}}},
                                  {{"path", "/some"}, {"to", "app"}, {"limits", {"some"}}}});
  const Gateway gateway(config);
  EXPECT_EQ(let_in(gateway, "/few", 5), 2);
  EXPECT_EQ(let_in(gateway, "/some", 6), 4);
}

}  // namespace
}  // namespace headgate::test
