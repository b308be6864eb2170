// The queues of requests that wait for what comes back: their order, and that no turn is lost between threads.

#include "headgate/shed/wait_queues.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>
#include <vector>

namespace headgate::shed {
namespace {

struct Request final : WaitQueues::Member {
  int turns = 0;
  void its_turn() noexcept override { ++turns; }
};

const Hash kOne{1, 1};
const Hash kTwo{2, 1};

TEST(WaitQueues, KeepTheOrderOfArrival) {
  WaitQueues queues;
  Request first, second, third;
  EXPECT_EQ(queues.join(first, kOne, 10), InQueue::first);
  EXPECT_EQ(queues.join(second, kOne, 10), InQueue::behind);
  EXPECT_EQ(queues.join(third, kOne, 10), InQueue::behind);
  queues.freed(kOne);
  EXPECT_EQ(first.turns, 1);
  EXPECT_EQ(second.turns, 0);
  queues.leave(first);
  EXPECT_EQ(second.turns, 1) << "perhaps more than one permit came back";
  EXPECT_TRUE(queues.is_first(second));
  EXPECT_FALSE(queues.is_first(third));
  queues.leave(third);
  EXPECT_EQ(second.turns, 1) << "nothing changed for it";
  queues.leave(second);
  EXPECT_FALSE(queues.anyone_waits(kOne));
  queues.leave(second);
}

TEST(WaitQueues, TellHowManyWait) {
  WaitQueues queues;
  Request first, second, other;
  EXPECT_EQ(queues.waiting(kOne), 0U);
  queues.join(first, kOne, 10);
  queues.join(second, kOne, 10);
  queues.join(other, kTwo, 10);
  EXPECT_EQ(queues.waiting(kOne), 2U);
  EXPECT_EQ(queues.waiting(kTwo), 1U);
  for (auto* const each : {&first, &second, &other}) queues.leave(*each);
  EXPECT_EQ(queues.waiting(kOne), 0U);
}

TEST(WaitQueues, LetAHigherPriorityGoFirst) {
  WaitQueues queues;
  Request low, normal, critical, later;
  low.priority = Priority::low;
  normal.priority = later.priority = Priority::normal;
  EXPECT_EQ(queues.join(low, kOne, 10), InQueue::first);
  EXPECT_EQ(queues.join(normal, kOne, 10), InQueue::first);
  EXPECT_EQ(queues.join(later, kOne, 10), InQueue::behind);
  EXPECT_EQ(queues.join(critical, kOne, 10), InQueue::first);
  EXPECT_FALSE(queues.is_first(normal));
  for (auto* const next : {&critical, &normal, &later, &low}) {
    EXPECT_TRUE(queues.is_first(*next));
    queues.leave(*next);
  }
  EXPECT_FALSE(queues.anyone_waits(kOne));
}

TEST(WaitQueues, LetTheLastOfTheLowestPriorityLeaveForAHigherOne) {
  WaitQueues queues;
  Request first, last, normal, another;
  first.priority = last.priority = Priority::low;
  normal.priority = another.priority = Priority::normal;
  queues.join(first, kOne, 2);
  queues.join(last, kOne, 2);
  EXPECT_EQ(queues.join(normal, kOne, 2), InQueue::first);
  EXPECT_FALSE(last.queued());
  EXPECT_EQ(last.turns, 1) << "it is told";
  EXPECT_FALSE(queues.is_first(last));
  queues.leave(last);
  EXPECT_EQ(queues.join(another, kOne, 2), InQueue::behind);
  EXPECT_FALSE(first.queued());
  EXPECT_EQ(queues.join(first, kOne, 2), InQueue::full) << "nobody of a lower priority waits";
  queues.leave(normal);
  queues.leave(another);
}

TEST(WaitQueues, ServeCallersInTurn) {
  WaitQueues queues;
  Request one, two, three, other;
  other.line = kTwo;
  for (auto* const each : {&one, &two, &three, &other}) queues.join(*each, kOne, 10);
  for (auto* const next : {&one, &other, &two, &three}) {
    EXPECT_TRUE(queues.is_first(*next));
    queues.leave(*next);
  }
  EXPECT_FALSE(queues.anyone_waits(kOne));
}

TEST(WaitQueues, LetTheLastOfTheLongestLineLeaveForAnotherCaller) {
  WaitQueues queues;
  Request first, second, last, other, another;
  other.line = another.line = kTwo;
  for (auto* const each : {&first, &second, &last}) EXPECT_NE(queues.join(*each, kOne, 3), InQueue::full);
  EXPECT_EQ(queues.join(other, kOne, 3), InQueue::behind);
  EXPECT_FALSE(last.queued());
  EXPECT_EQ(last.turns, 1) << "it is told";
  queues.leave(last);
  EXPECT_EQ(queues.join(last, kOne, 3), InQueue::full) << "its line is still the longest";
  EXPECT_EQ(queues.join(another, kOne, 3), InQueue::full) << "its line would be the longest";
  queues.leave(first);
  EXPECT_TRUE(queues.is_first(other));
  queues.leave(second);
  queues.leave(other);
  EXPECT_FALSE(queues.anyone_waits(kOne));
}

TEST(WaitQueues, GiveATurnAlsoToACallerWhoseFirstRequestGivesUp) {
  WaitQueues queues;
  Request gives_up, stays, other;
  other.line = kTwo;
  for (auto* const each : {&gives_up, &stays, &other}) queues.join(*each, kOne, 10);
  queues.leave(gives_up);
  EXPECT_TRUE(queues.is_first(other));
  EXPECT_EQ(other.turns, 1);
  queues.leave(other);
  EXPECT_TRUE(queues.is_first(stays));
  queues.leave(stays);
}

TEST(WaitQueues, AreBounded) {
  WaitQueues queues;
  Request first, second;
  EXPECT_EQ(queues.join(first, kOne, 1), InQueue::first);
  EXPECT_EQ(queues.join(second, kOne, 1), InQueue::full);
  EXPECT_FALSE(second.queued());
  queues.leave(second);
  queues.leave(first);
  EXPECT_EQ(queues.join(second, kOne, 1), InQueue::first);
  queues.leave(second);
}

TEST(WaitQueues, AreOnesOwnForEachCounter) {
  WaitQueues queues;
  Request one, two;
  EXPECT_EQ(queues.join(one, kOne, 10), InQueue::first);
  EXPECT_FALSE(queues.anyone_waits(kTwo));
  EXPECT_EQ(queues.join(two, kTwo, 10), InQueue::first);
  queues.freed(kTwo);
  EXPECT_EQ(one.turns, 0);
  EXPECT_EQ(two.turns, 1);
  queues.leave(one);
  queues.leave(two);
}

struct Sleeper final : WaitQueues::Member {
  std::counting_semaphore<> called{0};
  void its_turn() noexcept override { called.release(); }
};

// Threads in place of workers. A lost turn would leave one of them asleep.
TEST(WaitQueues, LoseNoTurnBetweenThreads) {
  constexpr int kThreads = 6;
  constexpr int kRounds = 2000;
  WaitQueues queues;
  std::atomic<int> permits = 2;
  const auto take = [&permits] {
    for (int left = permits; left > 0;)
      if (permits.compare_exchange_weak(left, left - 1)) return true;
    return false;
  };
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> slept = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        Sleeper waiter;
        waiter.line = Hash{static_cast<std::uint64_t>(t % 3), 0};
        bool taken = false;
        auto place = queues.anyone_waits(kOne) ? queues.join(waiter, kOne, 100) : InQueue::first;
        for (;;) {
          if (place == InQueue::first && (taken = take())) break;
          if (!waiter.queued()) {
            place = queues.join(waiter, kOne, 100);
            if (place == InQueue::first) continue;
          }
          ++slept;
          if (!waiter.called.try_acquire_for(std::chrono::seconds(20))) {
            ADD_FAILURE() << "nobody told it that a permit is free";
            break;
          }
          place = queues.is_first(waiter) ? InQueue::first : InQueue::behind;
        }
        queues.leave(waiter);
        if (!taken) return;
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --inside;
        ++permits;
        queues.freed(kOne);
      }
    });
  threads.clear();
  EXPECT_LE(most, 2);
  EXPECT_GT(slept, 0);
}

}  // namespace
}  // namespace headgate::shed
