// How many retries first attempts earn: the promise in random histories, and what workers share.

#include "headgate/upstream/retry_budget.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>
#include <vector>

namespace headgate::upstream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kFifth = RetryWindow::kWhole / 5;
constexpr std::uint64_t kFree = RetryWindow::kFloor * 10;
const Clock::Steady kBegin{std::chrono::hours(1000)};

/// How many it grants at one moment.
std::uint64_t granted(RetryWindow& window, Clock::Steady now, std::uint32_t share = kFifth) {
  std::uint64_t count = 0;
  while (window.pay(now, share)) ++count;
  return count;
}

TEST(RetryBudget, GrantsAFloorToAnUpstreamWithoutRequests) {
  RetryWindow window;
  EXPECT_EQ(granted(window, kBegin), kFree);
  EXPECT_EQ(granted(window, kBegin + seconds(9)), 0U);
  EXPECT_EQ(granted(window, kBegin + seconds(11)), kFree) << "ten seconds later";
}

TEST(RetryBudget, GrantsAFifthOfTheFirstAttemptsBeside) {
  RetryWindow window;
  window.earn(kBegin, 1000);
  EXPECT_EQ(granted(window, kBegin), kFree + 200);
}

TEST(RetryBudget, RoundsDown) {
  RetryWindow window;
  window.earn(kBegin, 9);
  EXPECT_EQ(granted(window, kBegin), kFree + 1);
}

TEST(RetryBudget, ForgetsFirstAttemptsAfterTenSeconds) {
  RetryWindow window;
  window.earn(kBegin, 1000);
  EXPECT_EQ(granted(window, kBegin + seconds(10)), kFree);
}

TEST(RetryBudget, TakesAShareThatAReloadHasChanged) {
  RetryWindow window;
  window.earn(kBegin, 1000);
  EXPECT_EQ(granted(window, kBegin, RetryWindow::kWhole / 10), kFree + 100);
  EXPECT_EQ(granted(window, kBegin, RetryWindow::kWhole), 900U);
}

TEST(RetryBudget, CountsAttemptsThatAreToldALittleLate) {
  RetryWindow window;
  EXPECT_EQ(granted(window, kBegin + seconds(5)), kFree);
  window.earn(kBegin + seconds(4), 50);
  EXPECT_EQ(granted(window, kBegin + seconds(5)), 10U);
  window.earn(kBegin - seconds(60), 5000);
  EXPECT_EQ(granted(window, kBegin + seconds(5)), 0U) << "they are forgotten already";
}

/// What was paid and earned, kept in a way that cannot be wrong.
struct History {
  std::deque<Clock::Steady> first_attempts;
  std::deque<Clock::Steady> retries;

  void forget(Clock::Steady now) {
    for (auto* const each : {&first_attempts, &retries})
      while (!each->empty() && each->front() < now - seconds(10)) each->pop_front();
  }
};

TEST(RetryBudget, NeverGrantsMoreThanAFifthAndTheFloorInTenSeconds) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    RetryWindow window;
    History history;
    auto now = kBegin + milliseconds(random() % 1000);
    std::uint64_t all_first = 0;
    std::uint64_t all_retries = 0;
    const auto begun = now;
    unsigned failing = 50;
    for (unsigned step = 0; step < 20'000; ++step) {
      if (step % 1000 == 0) failing = static_cast<unsigned>(random() % 101);  // percent, of each attempt
      now += std::chrono::microseconds(random() % (step % 3000 < 1500 ? 2000 : 60'000));
      history.forget(now);
      window.earn(now, 1);
      history.first_attempts.push_back(now);
      ++all_first;
      for (unsigned attempt = 1; attempt < 4 && random() % 100 < failing; ++attempt) {
        if (!window.pay(now, kFifth)) break;
        history.retries.push_back(now);
        ++all_retries;
        ASSERT_LE(history.retries.size(), kFree + history.first_attempts.size() / 5) << "seed " << seed;
      }
    }
    const auto spans = static_cast<std::uint64_t>((now - begun) / seconds(10)) + 1;
    EXPECT_LE(all_retries, all_first / 5 + kFree * spans) << "seed " << seed;
    EXPECT_GT(all_retries, 0U) << "seed " << seed;
  }
}

TEST(RetryBudget, GrantsWhatWasEarnedWhileEverythingFails) {
  RetryWindow window;
  std::uint64_t retries = 0;
  for (unsigned i = 0; i < 60'000; ++i) {  // a minute with 1,000 requests a second
    const auto now = kBegin + milliseconds(i);
    window.earn(now, 1);
    if (window.pay(now, kFifth)) ++retries;
  }
  EXPECT_LE(retries, 12'000U + 6 * kFree + kFree);
  EXPECT_GE(retries, 10'000U) << "a budget that nobody can use protects nobody";
}

TEST(RetryShare, TellsWhatItCountedBeforeItPays) {
  const auto budget = std::make_shared<RetryBudget>();
  RetryShare share(budget);
  for (int i = 0; i < 10; ++i) share.first_attempt(kBegin);
  std::uint64_t count = 0;
  while (share.pay(kBegin, kFifth)) ++count;
  EXPECT_EQ(count, kFree + 2);
}

TEST(RetryShare, TellsOthersAfterFiftyAttemptsOrASecondOrAtItsEnd) {
  const auto budget = std::make_shared<RetryBudget>();
  for (std::uint64_t i = 0; i < kFree; ++i) ASSERT_TRUE(budget->pay(kBegin, kFifth));
  auto share = std::make_unique<RetryShare>(budget);
  for (std::uint64_t i = 0; i < RetryShare::kStep - 1; ++i) share->first_attempt(kBegin);
  EXPECT_FALSE(budget->pay(kBegin, kFifth));
  share->first_attempt(kBegin);
  EXPECT_TRUE(budget->pay(kBegin, kFifth));
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(budget->pay(kBegin, kFifth));
  ASSERT_FALSE(budget->pay(kBegin, kFifth));
  for (int i = 0; i < 5; ++i) share->first_attempt(kBegin);
  share->first_attempt(kBegin + seconds(1));
  EXPECT_TRUE(budget->pay(kBegin + seconds(1), kFifth)) << "the five";
  for (int i = 0; i < 4; ++i) share->first_attempt(kBegin + seconds(1));
  share.reset();
  EXPECT_TRUE(budget->pay(kBegin + seconds(1), kFifth));
  EXPECT_FALSE(budget->pay(kBegin + seconds(1), kFifth));
}

TEST(RetryBudget, IsOneForAllWorkers) {
  const auto budget = std::make_shared<RetryBudget>();
  std::vector<std::uint64_t> paid(4);
  std::vector<std::thread> workers;
  constexpr std::uint64_t kEach = 20'000;
  for (auto& count : paid) {
    workers.emplace_back([&count, &budget] {
      RetryShare share(budget);
      for (std::uint64_t i = 0; i < kEach; ++i) {
        share.first_attempt(kBegin);
        if (share.pay(kBegin, kFifth)) ++count;
      }
    });
  }
  for (auto& worker : workers) worker.join();
  std::uint64_t all = 0;
  for (const auto count : paid) all += count;
  EXPECT_EQ(all, kFree + 4 * kEach / 5);
}

TEST(RetryBudgets, AreFoundAgainByTheNameOfTheirUpstream) {
  RetryBudgets budgets;
  const auto app = budgets.of("app");
  EXPECT_EQ(budgets.of("app"), app);
  EXPECT_NE(budgets.of("other"), app);
}

}  // namespace
}  // namespace headgate::upstream
