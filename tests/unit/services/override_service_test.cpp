// Overrides outside the path: they reach the workers, are shared, and end when their time is over.

#include "headgate/services/override_service.hpp"

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

class OverrideServices : public testing::Test {
 protected:
  OverrideServices() {
    auto config = std::make_shared<config::Config>();
    auto& limit = config->limits.emplace_back();
    limit.name = "plan";
    limit.store = limit::Store::redis;
    config->redis.emplace();
    service->serve([](const auto&) { return nullptr; },
                   [this](const auto& overrides, const auto& done) {
                     used.push_back(overrides.size());
                     done();
                   });
    service->adopt(in_force(config));
    service->start();
  }
  limit::Override one(Duration length) const {
    limit::Override out;
    out.limit = "plan";
    out.key = "vip";
    out.rates.push_back(*parse_rate("7/day"));
    out.since = clock.wall();
    out.until = clock.wall() + length;
    return out;
  }

  VirtualClock clock;
  std::vector<limit::LogEntry> shared;
  std::vector<std::size_t> used;
  std::shared_ptr<OverrideService> service = std::make_shared<OverrideService>(
      clock, [this](const config::Config&) { return std::make_shared<SilentLog>(shared); });
};

TEST_F(OverrideServices, EndWhatIsOverAndTellTheWorkers) {
  EXPECT_EQ(service->restore({one(1min)}), 1U);
  EXPECT_EQ(used, (std::vector<std::size_t>{1}));
  clock.advance(59s);
  EXPECT_EQ(used.size(), 1U);
  clock.advance(2s);
  EXPECT_EQ(used, (std::vector<std::size_t>{1, 0}));
  service->stop();
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(OverrideServices, TellOnceItIsKnownWhoHasHeard) {
  service->restore({one(1h)});
  std::optional<OverrideService::Done> done;
  service->lift("plan", "vip", [&](const auto& told) {
    ASSERT_TRUE(told.has_value());
    done = *told;
  });
  EXPECT_FALSE(done) << "the other gateways have not said anything yet";
  clock.advance(1s);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->shared);
  EXPECT_TRUE(done->spread.written);
  EXPECT_EQ(shared.size(), 1U);
  service->stop();
}

TEST_F(OverrideServices, RefuseToLiftWhatNobodyHas) {
  unsigned status = 0;
  service->lift("plan", "nobody", [&](const auto& told) { status = told.has_error() ? told.error().status : 0; });
  EXPECT_EQ(status, 404U);
  service->stop();
}

}  // namespace
}  // namespace headgate::services
