#include "headgate/net/tls/handshake_turns.hpp"

#include "headgate/core/task.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace headgate::net {
namespace {

using testing::ElementsAre;

class HandshakeTurnsTest : public testing::Test {
 protected:
  /// Begins, and stays under way.
  Task<void> begin(HandshakeTurns& turns, int name) {
    co_await turns.begin();
    order.push_back(name);
  }
  /// The same until the test ends it.
  Task<void> take_place(HandshakeTurns& turns, int name) {
    co_await turns.begin();
    order.push_back(name);
    places.push_back(std::make_unique<HandshakeTurns::Place>(turns, nullptr));
  }
  Task<void> go_on(HandshakeTurns& turns, int name) {
    co_await turns.next();
    order.push_back(name);
  }
  void run() {
    loop.restart();
    loop.run();
  }

  boost::asio::io_context loop{1};
  std::vector<std::unique_ptr<HandshakeTurns::Place>> places;
  std::vector<int> order;
};

TEST_F(HandshakeTurnsTest, LetNobodyGoOnAtOnce) {
  HandshakeTurns turns(loop, 10);
  spawn(begin(turns, 1), "test");
  EXPECT_THAT(order, ElementsAre()) << "not within the pass that accepted it";
  loop.run();
  EXPECT_THAT(order, ElementsAre(1));
}

TEST_F(HandshakeTurnsTest, AreFewInOnePassOfTheLoop) {
  HandshakeTurns turns(loop, 100);
  for (int i = 0; i < 20; ++i) spawn(begin(turns, i), "test");
  std::vector<std::size_t> seen;  // after each pass of the others
  const std::function<void()> others = [&] {
    seen.push_back(order.size());
    if (order.size() < 20) boost::asio::post(loop, others);
  };
  boost::asio::post(loop, others);
  loop.run();
  ASSERT_GE(seen.size(), 2U);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LE(seen[i] - seen[i - 1], HandshakeTurns::kInOnePass) << i;
}

TEST_F(HandshakeTurnsTest, LetOnlySoManyBegin) {
  HandshakeTurns turns(loop, 2);
  for (int i = 1; i <= 4; ++i) spawn(take_place(turns, i), "test");
  run();
  EXPECT_THAT(order, ElementsAre(1, 2));
  EXPECT_EQ(turns.under_way(), 2U);
  places.erase(places.begin());
  run();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
  places.clear();
  run();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
  places.clear();
}

TEST_F(HandshakeTurnsTest, ServeThoseWhoWaitInTurnByOwner) {
  HandshakeTurns turns(loop, 1);
  spawn(take_place(turns, 0), "test");
  run();
  const auto wait_for = [&](int name, std::uint64_t owner) -> Task<void> {
    co_await turns.begin(owner);
    order.push_back(name);
  };
  for (int i = 1; i <= 5; ++i) spawn(wait_for(i, 1), "test");
  spawn(wait_for(100, 2), "test");
  turns.allow(100);
  places.clear();
  run();
  EXPECT_THAT(order, ElementsAre(0, 1, 100, 2, 3, 4, 5));
}

TEST_F(HandshakeTurnsTest, PreferThoseThatHaveBegun) {
  HandshakeTurns turns(loop, 100);
  spawn(begin(turns, 1), "test");
  run();
  for (int i = 2; i <= 4; ++i) spawn(begin(turns, i), "test");
  spawn(go_on(turns, 10), "test");
  run();
  EXPECT_THAT(order, ElementsAre(1, 10, 2, 3, 4));
}

TEST_F(HandshakeTurnsTest, LetOthersBeginWhileSomeGoOnAllTheTime) {
  HandshakeTurns turns(loop, 100);
  bool over = false;
  const auto drip = [&]() -> Task<void> {
    co_await turns.begin();
    while (!over) co_await turns.next();
  };
  for (int i = 0; i < 10; ++i) spawn(drip(), "test");
  loop.poll_one();
  for (int i = 0; i < 1000; ++i) loop.poll_one();
  spawn(begin(turns, 1), "test");
  for (int i = 0; i < 10; ++i) loop.poll_one();
  EXPECT_THAT(order, ElementsAre(1));
  over = true;
  run();
}

}  // namespace
}  // namespace headgate::net
