// Who is limited, collected from the workers: now and then, and when somebody asks.

#include "headgate/services/top_service.hpp"

#include "in_force.hpp"
#include "support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace headgate::services {
namespace {

using headgate::test::VirtualClock;

class TopServices : public testing::Test {
 protected:
  TopServices() {
    service->adopt(in_force(std::make_shared<config::Config>()));
    service->start();
  }

  VirtualClock clock;
  int taken = 0;
  std::shared_ptr<TopService> service = std::make_shared<TopService>(clock, [this](const auto& each, const auto& done) {
    ++taken;
    each({});
    done();
  });
};

TEST_F(TopServices, CollectEveryFewSecondsUntilTheyAreStopped) {
  clock.advance(3 * TopService::kEvery);
  EXPECT_EQ(taken, 3);
  service->stop();
  EXPECT_EQ(clock.armed(), 0U);
  clock.advance(TopService::kEvery);
  EXPECT_EQ(taken, 3);
}

TEST_F(TopServices, CollectAtOnceForWhoeverAsksAndThenAnswer) {
  bool answered = false;
  service->refresh([&] { answered = true; });
  EXPECT_EQ(taken, 0) << "any thread may ask";
  clock.advance(Duration(0));
  EXPECT_EQ(taken, 1);
  EXPECT_TRUE(answered);
  service->stop();
  service->refresh([&] { ADD_FAILURE() << "nothing is served any more"; });
  clock.advance(TopService::kEvery);
}

}  // namespace
}  // namespace headgate::services
