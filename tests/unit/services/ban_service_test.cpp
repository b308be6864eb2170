// Suspensions outside the path: which are shared, and that those that have ended are forgotten.

#include "headgate/services/ban_service.hpp"

#include "in_force.hpp"
#include "silent_log.hpp"
#include "support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace headgate::services {
namespace {

using namespace std::chrono_literals;
using headgate::test::VirtualClock;

std::shared_ptr<const config::Config> with_limits(bool redis) {
  auto out = std::make_shared<config::Config>();
  for (const auto store : {limit::Store::memory, limit::Store::redis}) {
    if (store == limit::Store::redis && !redis) continue;
    auto& limit = out->limits.emplace_back();
    limit.name = store == limit::Store::redis ? "fleet" : "here";
    limit.store = store;
  }
  if (redis) out->redis.emplace();
  return out;
}

class BanServices : public testing::Test {
 protected:
  VirtualClock clock;
  boost::asio::io_context loop;
  std::vector<limit::LogEntry> shared;
  std::shared_ptr<WebhookService> webhooks = std::make_shared<WebhookService>(loop, clock);
  BanService service{clock, [this](const config::Config&) { return std::make_shared<SilentLog>(shared); }, webhooks};
};

TEST_F(BanServices, ShareWhatLimitsInRedisSuspendAndNothingElse) {
  service.adopt(in_force(with_limits(true)));
  service.start();
  EXPECT_TRUE(service.has_read());
  EXPECT_TRUE(service.shares("fleet"));
  EXPECT_FALSE(service.shares("here"));
  service.table().add("fleet", "mallory", 1h, clock.wall());
  service.table().add("here", "mallory", 1h, clock.wall());
  clock.advance(1s);
  EXPECT_EQ(shared.size(), 1U);
  service.stop();
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(BanServices, LeaveTheLogWithTheLastLimitInRedis) {
  service.adopt(in_force(with_limits(true)));
  service.start();
  service.adopt(in_force(with_limits(false)));
  EXPECT_FALSE(service.shares("fleet"));
  service.table().add("fleet", "mallory", 1h, clock.wall());
  clock.advance(1s);
  EXPECT_TRUE(shared.empty());
  service.stop();
}

}  // namespace
}  // namespace headgate::services
