#include "headgate/shed/fair_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <string>

namespace headgate::shed {
namespace {

using testing::ElementsAre;

class FairQueueTest : public testing::Test {
 protected:
  Waiter& wait(const std::string& caller, Priority priority = Priority::normal, std::uint32_t cost = 1) {
    auto& waiter = waiters.emplace_back();
    waiter.key = keyed_hash(caller, 0);
    waiter.priority = priority;
    waiter.cost = cost;
    names[&waiter] = caller;
    if (auto* const out = queue.push(waiter)) left.push_back(names.at(out));
    return waiter;
  }
  std::string serve() {
    auto* const next = queue.next();
    if (next == nullptr) return "";
    queue.serve(*next);
    return names.at(next);
  }
  std::vector<std::string> served(int count) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i) out.push_back(serve());
    return out;
  }
  ~FairQueueTest() override {
    for (auto& waiter : waiters) queue.remove(waiter);
  }

  FairQueue queue{1000};
  std::deque<Waiter> waiters;
  std::map<const Waiter*, std::string> names;
  std::vector<std::string> left;
};

TEST_F(FairQueueTest, ServesEachCallerInTurn) {
  for (int i = 0; i < 3; ++i) wait("a");
  wait("b");
  wait("c");
  wait("c");
  EXPECT_THAT(served(7), ElementsAre("a", "b", "c", "a", "c", "a", ""));
}

TEST_F(FairQueueTest, DelaysOneRequestByOneTurnOfAThousand) {
  for (int i = 0; i < 999; ++i) wait("busy");
  wait("quiet");
  EXPECT_THAT(served(2), ElementsAre("busy", "quiet"));
}

TEST_F(FairQueueTest, ServesHigherPrioritiesFirst) {
  wait("a", Priority::low);
  wait("a", Priority::normal);
  wait("b", Priority::critical);
  EXPECT_THAT(served(3), ElementsAre("b", "a", "a"));
}

TEST_F(FairQueueTest, LetsACallerWithCostlyRequestsWaitItsTurns) {
  for (int i = 0; i < 2; ++i) wait("dear", Priority::normal, 3);
  for (int i = 0; i < 6; ++i) wait("cheap");
  EXPECT_THAT(served(8), ElementsAre("cheap", "cheap", "dear", "cheap", "cheap", "cheap", "dear", "cheap"));
}

TEST_F(FairQueueTest, SavesNoTurnsForACallerThatWasAway) {
  for (int i = 0; i < 10; ++i) {
    wait("a");
    serve();
  }
  for (int i = 0; i < 2; ++i) wait("a");
  for (int i = 0; i < 2; ++i) wait("b");
  EXPECT_THAT(served(4), ElementsAre("a", "b", "a", "b"));
}

TEST_F(FairQueueTest, TakesARequestOutThatDoesNotWaitAnyMore) {
  auto& gone = wait("a");
  wait("b");
  queue.remove(gone);
  queue.remove(gone);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_THAT(served(2), ElementsAre("b", ""));
}

TEST_F(FairQueueTest, MakesRoomForAQuietCallerAtTheCostOfTheLongestLine) {
  queue.bound(3);
  for (int i = 0; i < 3; ++i) wait("busy");
  wait("quiet");
  EXPECT_THAT(left, ElementsAre("busy"));
  EXPECT_EQ(queue.size(), 3u);
  wait("busy");
  EXPECT_THAT(left, ElementsAre("busy", "busy")) << "the newcomer itself";
  EXPECT_THAT(served(4), ElementsAre("busy", "quiet", "busy", ""));
}

TEST_F(FairQueueTest, MakesRoomForAHigherPriority) {
  queue.bound(2);
  wait("a", Priority::low);
  wait("b", Priority::low);
  wait("c", Priority::critical);
  EXPECT_EQ(left.size(), 1u);
  wait("d", Priority::low);
  EXPECT_EQ(left.back(), "d") << "no room is made for the same priority and length";
  EXPECT_EQ(serve(), "c");
}

TEST_F(FairQueueTest, GivesEachCallerTheSameUnderRandomLoad) {
  std::mt19937 random(7);
  queue.bound(200);
  std::map<std::string, int> got;
  for (int i = 0; i < 20'000; ++i) {
    // "a" asks ten times as often as each of the others.
    const auto who = random() % 13;
    const auto before = left.size();
    wait(who < 10 ? "a" : std::string(1, static_cast<char>('b' + who - 10)));
    (void)before;
    if (i % 5 == 0) ++got[serve()];
  }
  const auto total = got["a"] + got["b"] + got["c"] + got["d"];
  for (const auto* caller : {"a", "b", "c", "d"}) EXPECT_NEAR(got[caller], total / 4.0, total * 0.02) << caller;
}

}  // namespace
}  // namespace headgate::shed
