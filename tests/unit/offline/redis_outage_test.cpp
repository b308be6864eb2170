// Redis in memory goes away and comes back, with a configuration: what a live outage means for each limit.

#include "unit/offline/simulated_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::offline {
namespace {

using test::SimulatedFile;
using testing::ElementsAre;

std::string with(std::string_view if_down) {
  return R"({
    "listen": ":8080", "redis": { "url": "redis://127.0.0.1", "instances": 2 },
    "upstreams": { "app": "http://10.0.0.1:3000" },
    "limits": { "few": { "per": "client_ip", "rate": "4/hour", "if_redis_down": ")" +
         std::string(if_down) + R"(" } },
    "routes": [ { "path": "/*", "to": "app", "limits": ["few"] } ]
  })";
}

TEST(RedisOutage, LetsEverybodyThroughIfTheLimitSaysSo) {
  SimulatedFile file(with("allow"));
  EXPECT_THAT(file.statuses({}, 5), ElementsAre(200U, 200U, 200U, 200U, 429U));
  file.simulation->redis().go_down();
  EXPECT_THAT(file.statuses({}, 5), ElementsAre(200U, 200U, 200U, 200U, 200U));
  file.simulation->redis().come_back();
  EXPECT_EQ(file.status({}), 429U) << "what was used before is known still";
}

TEST(RedisOutage, LetsNobodyThroughIfTheLimitSaysSo) {
  SimulatedFile file(with("reject"));
  file.simulation->redis().go_down();
  EXPECT_EQ(file.status({}), 503U);
  file.simulation->redis().come_back();
  EXPECT_EQ(file.status({}), 200U);
}

TEST(RedisOutage, LeavesTheShareOfOneGatewayWhichIsCountedAfterwards) {
  SimulatedFile file(with("count_locally"));
  file.simulation->redis().go_down();
  EXPECT_THAT(file.statuses({}, 3), ElementsAre(200U, 200U, 429U));
  const auto told =
      file.simulation->explain({.address = boost::asio::ip::make_address("192.0.2.1"), .host = "api.example.com"});
  EXPECT_TRUE(told.counted_without_redis);
  file.simulation->redis().come_back();
  file.simulation->clock().advance(std::chrono::seconds(3));
  EXPECT_THAT(file.statuses({}, 3), ElementsAre(200U, 200U, 429U)) << "two of the four are charged";
}

}  // namespace
}  // namespace headgate::offline
