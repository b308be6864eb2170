// Places at a server: exact, also when many threads take them.

#include "headgate/balance/places.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::balance {
namespace {

using std::chrono::milliseconds;

TEST(Places, AreAsManyAsTheyAre) {
  Places places(2);
  EXPECT_TRUE(places.take());
  EXPECT_FALSE(places.full());
  EXPECT_TRUE(places.take());
  EXPECT_TRUE(places.full());
  EXPECT_FALSE(places.take());
  places.leave(Duration(0));
  EXPECT_TRUE(places.take());
}

TEST(Places, ThatAreTakenStayTakenWhenThereAreFewer) {
  Places places(2);
  EXPECT_TRUE(places.take());
  EXPECT_TRUE(places.take());
  places.most(1);
  places.leave(Duration(0));
  EXPECT_FALSE(places.take()) << "one is still taken";
  places.leave(Duration(0));
  EXPECT_TRUE(places.take());
}

TEST(Places, KnowHowLongTheyAreUsuallyTaken) {
  Places places(1);
  EXPECT_EQ(places.usual(), Duration(0));
  ASSERT_TRUE(places.take());
  Place first(places, 0, milliseconds(1000));
  first.leave(milliseconds(1080));
  EXPECT_EQ(places.usual(), milliseconds(80));
  ASSERT_TRUE(places.take());
  Place second(places, 0, milliseconds(2000));
  second.leave(milliseconds(2160));
  EXPECT_EQ(places.usual(), milliseconds(90));
}

TEST(Places, AreGivenBackOnceHoweverTheyMove) {
  Places places(4);
  ASSERT_TRUE(places.take());
  {
    Place place(places, 3, Duration(0));
    Place moved(std::move(place));
    Place assigned;
    assigned = std::move(moved);
    EXPECT_TRUE(assigned.held());
    EXPECT_EQ(assigned.server(), 3U);
    EXPECT_EQ(places.taken(), 1U);
  }
  EXPECT_EQ(places.taken(), 0U);
}

TEST(Places, AreNeverTakenTwiceByManyThreads) {
  Places places(3);
  std::atomic<std::uint32_t> inside{0};
  std::atomic<std::uint32_t> most{0};
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 20'000; ++n) {
          if (!places.take()) continue;
          const auto now = inside.fetch_add(1) + 1;
          auto seen = most.load();
          while (now > seen && !most.compare_exchange_weak(seen, now)) continue;
          ++taken;
          inside.fetch_sub(1);
          places.leave(Duration(1));
        }
      });
  }
  EXPECT_GT(taken, 0);
  EXPECT_LE(most, 3U);
  EXPECT_EQ(places.taken(), 0U);
}

}  // namespace
}  // namespace headgate::balance
