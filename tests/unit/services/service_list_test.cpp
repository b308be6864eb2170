// The life of services: one list, started in its order and stopped in the reverse one.

#include "support/virtual_clock.hpp"

#include "headgate/services/main_calls.hpp"
#include "headgate/services/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::services {
namespace {

using headgate::test::VirtualClock;
using testing::ElementsAre;

class Named final : public Service {
 public:
  Named(std::string name, std::vector<std::string>& told) : name_(std::move(name)), told_(told) {}
  void adopt(const std::shared_ptr<const ActiveConfig>&) override { told_.push_back("adopt " + name_); }
  void start() override { told_.push_back("start " + name_); }
  void drain() override { told_.push_back("drain " + name_); }
  void stop() override { told_.push_back("stop " + name_); }

 private:
  const std::string name_;
  std::vector<std::string>& told_;
};

TEST(ServiceList, StartsInItsOrderAndStopsEachOnceInTheReverseOne) {
  std::vector<std::string> told;
  Named first("a", told);
  Named second("b", told);
  ServiceList list;
  list.add(first);
  list.add(second);
  list.adopt(std::make_shared<const ActiveConfig>());
  list.start();
  list.drain();
  list.stop();
  EXPECT_THAT(told, ElementsAre("adopt a", "adopt b", "start a", "start b", "drain a", "drain b", "stop b", "stop a"));
}

TEST(MainCalls, RunOnTheMainThreadInTheirOrder) {
  VirtualClock clock;
  MainCalls calls(clock);
  std::vector<int> ran;
  std::thread([&] {
    calls.post([&] { ran.push_back(1); });
    calls.dispatch([&] { ran.push_back(2); });
  }).join();
  EXPECT_TRUE(ran.empty());
  calls.dispatch([&] { ran.push_back(0); });
  clock.advance(Duration(0));
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
}

TEST(MainCalls, ThatWaitAreDroppedWithTheirOwner) {
  VirtualClock clock;
  const auto held = std::make_shared<int>(1);
  {
    MainCalls calls(clock);
    calls.post([held] { ADD_FAILURE() << "its owner is gone"; });
  }
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace headgate::services
