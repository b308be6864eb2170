#include "headgate/shed/overload.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace headgate::shed {
namespace {

using namespace std::chrono_literals;
using enum Priority;

const Overload::Steady kNoon(1h);

TEST(Overload, HoldsThePlacesOfEachLayerApart) {
  Overload overload;
  for (int i = 0; i < 5; ++i) overload.refused(Layer::fleet, critical, 0, 100, kNoon);
  EXPECT_EQ(overload.ceiling(Layer::fleet, normal, 100, 100), 90U);
  EXPECT_EQ(overload.ceiling(Layer::servers, normal, 100, 100), 100U);
  for (int i = 1; i < 20; ++i) overload.admitted(Layer::fleet, critical, 100, kNoon + 1s * i);
  EXPECT_GT(overload.ceiling(Layer::fleet, normal, 100, 100), 95U);
}

TEST(Overload, SaysWhoIsRefusedUntilNobodyIs) {
  Overload overload;
  EXPECT_FALSE(overload.in_words(kNoon));
  overload.shed(Layer::queue, low, kNoon);
  overload.shed(Layer::queue, low, kNoon);
  overload.shed(Layer::fleet, normal, kNoon + 1s);
  EXPECT_EQ(overload.in_words(kNoon + 10s),
            "1 normal, 2 low refused since it began: 1 because all gateways together have as many requests there as "
            "they may; 2 because no place became free while they waited in the queue");
  EXPECT_FALSE(overload.in_words(kNoon + 11s));
  overload.shed(Layer::servers, critical, kNoon + 12s);
  EXPECT_EQ(overload.in_words(kNoon + 12s), "1 critical refused since it began: no server has a free place")
      << "it begins anew";
}

TEST(Overload, TreatsOneLowRequestASecondAsNormal) {
  Overload overload;
  EXPECT_EQ(overload.effective(low, kNoon), normal);
  overload.trickled(kNoon);
  EXPECT_EQ(overload.effective(low, kNoon + 999ms), low);
  EXPECT_EQ(overload.effective(low, kNoon + 1s), normal);
  EXPECT_EQ(overload.effective(critical, kNoon), critical);
}

TEST(Overload, IsSharedByWorkers) {
  Overload overload;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        overload.refused(Layer::fleet, critical, 0, 1000, kNoon);
        overload.shed(Layer::fleet, low, kNoon);
        overload.admitted(Layer::fleet, critical, 0, kNoon);
        overload.ended(Layer::fleet, 10ms);
        EXPECT_LE(overload.ceiling(Layer::fleet, low, 1000, 1000), 1000U);
      }
    });
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(overload.in_words(kNoon),
            "4000 low refused since it began: all gateways together have as many requests there as they may");
}

}  // namespace
}  // namespace headgate::shed
