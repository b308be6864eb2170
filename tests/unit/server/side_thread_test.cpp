// The thread that reads configurations and frees old ones.

#include "../../../src/server/side_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>
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
  ASSERT_TRUE(side.run([&] { order.push_back(2); }));
  EXPECT_TRUE(order.empty()) << "the caller does not wait";
  go.set_value();
  side.stop();
  EXPECT_EQ(order, (std::vector{1, 2})) << "it finishes what it was asked for";
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
