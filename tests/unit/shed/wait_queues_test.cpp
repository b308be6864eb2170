// The queues of requests that wait for a permit in flight: their order, and that no turn is lost between threads.

#include "headgate/limit/flight_queues.hpp"

#include "support/rules.hpp"

#include "headgate/limit/in_flight.hpp"
#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>
#include <vector>

namespace headgate::limit {
namespace {

using Place = FlightQueues::Place;

struct Waiter final : FlightWaiter {
  int turns = 0;
  void its_turn() noexcept override { ++turns; }
};

const Hash kOne{1, 1};
const Hash kTwo{2, 1};

TEST(FlightQueues, KeepTheOrderOfArrival) {
  FlightQueues queues;
  Waiter first, second, third;
  EXPECT_EQ(queues.join(first, kOne, 10), Place::first);
  EXPECT_EQ(queues.join(second, kOne, 10), Place::behind);
  EXPECT_EQ(queues.join(third, kOne, 10), Place::behind);
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

TEST(FlightQueues, LetAHigherRankGoFirst) {
  FlightQueues queues;
  Waiter low, normal, critical, later;
  low.rank = 2;
  normal.rank = later.rank = 1;
  EXPECT_EQ(queues.join(low, kOne, 10), Place::first);
  EXPECT_EQ(queues.join(normal, kOne, 10), Place::first);
  EXPECT_EQ(queues.join(later, kOne, 10), Place::behind);
  EXPECT_EQ(queues.join(critical, kOne, 10), Place::first);
  EXPECT_FALSE(queues.is_first(normal));
  for (auto* const next : {&critical, &normal, &later, &low}) {
    EXPECT_TRUE(queues.is_first(*next));
    queues.leave(*next);
  }
  EXPECT_FALSE(queues.anyone_waits(kOne));
}

TEST(FlightQueues, LetTheLastOfTheLowestRankLeaveForAHigherOne) {
  FlightQueues queues;
  Waiter first, last, normal, another;
  first.rank = last.rank = 2;
  normal.rank = another.rank = 1;
  queues.join(first, kOne, 2);
  queues.join(last, kOne, 2);
  EXPECT_EQ(queues.join(normal, kOne, 2), Place::first);
  EXPECT_FALSE(last.queued());
  EXPECT_EQ(last.turns, 1) << "it is told";
  EXPECT_FALSE(queues.is_first(last));
  queues.leave(last);
  EXPECT_EQ(queues.join(another, kOne, 2), Place::behind);
  EXPECT_FALSE(first.queued());
  EXPECT_EQ(queues.join(first, kOne, 2), Place::full) << "nobody of a lower rank waits";
  queues.leave(normal);
  queues.leave(another);
}

TEST(FlightQueues, AreBounded) {
  FlightQueues queues;
  Waiter first, second;
  EXPECT_EQ(queues.join(first, kOne, 1), Place::first);
  EXPECT_EQ(queues.join(second, kOne, 1), Place::full);
  EXPECT_FALSE(second.queued());
  queues.leave(second);
  queues.leave(first);
  EXPECT_EQ(queues.join(second, kOne, 1), Place::first);
  queues.leave(second);
}

TEST(FlightQueues, AreOnesOwnForEachCounter) {
  FlightQueues queues;
  Waiter one, two;
  EXPECT_EQ(queues.join(one, kOne, 10), Place::first);
  EXPECT_FALSE(queues.anyone_waits(kTwo));
  EXPECT_EQ(queues.join(two, kTwo, 10), Place::first);
  queues.freed(kTwo);
  EXPECT_EQ(one.turns, 0);
  EXPECT_EQ(two.turns, 1);
  queues.leave(one);
  queues.leave(two);
}

struct Sleeper final : FlightWaiter {
  std::counting_semaphore<> called{0};
  void its_turn() noexcept override { called.release(); }
};

// Threads in place of workers. A lost turn would leave one of them asleep.
TEST(FlightQueues, LoseNoTurnBetweenThreads) {
  constexpr int kThreads = 6;
  constexpr int kRounds = 2000;
  FlightQueues queues;
  MemoryStore store({.max_keys = 100});
  Rule rule = test::make_rule("2/s", 2, "flights");
  rule.algorithm = &in_flight;
  const auto check = test::make_check(rule, "key", 1);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> slept = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        Sleeper waiter;
        Decision decision;
        auto place = queues.anyone_waits(check.hash) ? queues.join(waiter, check.hash, 100) : Place::first;
        for (;;) {
          if (place == Place::first && store.decide({&check, 1}, test::kStart, {&decision, 1})) break;
          if (!waiter.queued()) {
            place = queues.join(waiter, check.hash, 100);
            if (place == Place::first) continue;
          }
          ++slept;
          if (!waiter.called.try_acquire_for(std::chrono::seconds(20))) {
            ADD_FAILURE() << "nobody told it that a permit is free";
            break;
          }
          place = queues.is_first(waiter) ? Place::first : Place::behind;
        }
        queues.leave(waiter);
        if (!decision.allowed) return;
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --inside;
        store.give_back({&check, 1}, test::kStart);
        queues.freed(check.hash);
      }
    });
  threads.clear();
  EXPECT_LE(most, 2);
  EXPECT_GT(slept, 0);
}

}  // namespace
}  // namespace headgate::limit
