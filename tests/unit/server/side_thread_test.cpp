// The thread that reads configurations and frees old ones.

#include "../../../src/server/side_thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

/// Says on which thread it is freed.
struct Marked {
  std::promise<std::thread::id>* freed;
  ~Marked() { freed->set_value(std::this_thread::get_id()); }
};

TEST(SideThread, RunsOneAfterTheOtherBesideTheCaller) {
  SideThread side;
  std::promise<void> go;
  std::vector<int> order;
  ASSERT_TRUE(side.run([&, may = go.get_future().share()] {
    may.wait();
    order.push_back(1);
  }));
  std::promise<void> both;
  ASSERT_TRUE(side.run([&] {
    order.push_back(2);
    both.set_value();
  }));
  EXPECT_TRUE(order.empty()) << "the caller does not wait";
  go.set_value();
  both.get_future().wait();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(SideThread, DropsAtItsEndWhatWaitsAndFreesWhatWasDropped) {
  SideThread side;
  std::promise<void> began;
  std::promise<void> go;
  ASSERT_TRUE(side.run([&, may = go.get_future().share()] {
    began.set_value();
    may.wait();
  }));
  began.get_future().wait();
  auto held = std::make_shared<int>(7);
  const std::weak_ptr<int> seen = held;
  bool ran = false;
  ASSERT_TRUE(side.run([&ran, last = std::move(held)] { ran = true; }));
  std::promise<std::thread::id> freed;
  side.freed_here(new const Marked{&freed}).reset();
  std::thread stops([&] { side.stop(); });
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  while (!seen.expired() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(seen.expired()) << "dropped while the one before it runs";
  go.set_value();
  stops.join();
  EXPECT_FALSE(ran);
  EXPECT_EQ(freed.get_future().wait_for(std::chrono::seconds(0)), std::future_status::ready);
}

TEST(SideThread, FreesWhatIsDroppedOnAnyThread) {
  SideThread side;
  std::promise<std::thread::id> id;
  side.run([&] { id.set_value(std::this_thread::get_id()); });
  std::promise<std::thread::id> freed;
  auto held = side.freed_here(new const Marked{&freed});
  std::thread([last = std::move(held)]() mutable { last.reset(); }).join();
  EXPECT_EQ(freed.get_future().get(), id.get_future().get());
}

TEST(SideThread, FreesAtOnceAfterItsEnd) {
  std::promise<std::thread::id> freed;
  std::shared_ptr<const Marked> held;
  {
    SideThread side;
    held = side.freed_here(new const Marked{&freed});
    side.stop();
    EXPECT_FALSE(side.run([] {}));
  }
  held.reset();
  EXPECT_EQ(freed.get_future().get(), std::this_thread::get_id());
}

}  // namespace
}  // namespace headgate::server
