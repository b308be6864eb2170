#include "headgate/core/task.hpp"

#include "headgate/core/result.hpp"

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headgate {
namespace {

/// A coroutine waits here until the test continues it.
struct CountedGate {
  std::coroutine_handle<> waiter;
  int waits = 0;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept {
    waiter = handle;
    ++waits;
  }
  void await_resume() const noexcept {}
  void open() { std::exchange(waiter, nullptr).resume(); }
};

Task<int> number(int value) { co_return value; }

Task<std::unique_ptr<std::string>> owned(std::string text) { co_return std::make_unique<std::string>(std::move(text)); }

TEST(Task, RunsOnlyWhenAwaited) {
  bool ran = false;
  const auto child = [](bool& flag) -> Task<void> {
    flag = true;
    co_return;
  };
  const auto root = [](Task<void> task) -> Task<void> { co_await task; };
  {
    auto never = child(ran);
    EXPECT_FALSE(ran);
  }
  EXPECT_FALSE(ran) << "dropped without a run";
  spawn(root(child(ran)), "test");
  EXPECT_TRUE(ran);
}

TEST(Task, HandsItsValueToItsParent) {
  int sum = 0;
  std::string text;
  const auto root = [](int& total, std::string& words) -> Task<void> {
    total = co_await number(2) + co_await number(40);
    auto made = co_await owned("moved, not copied");
    words = *made;
  };
  spawn(root(sum, text), "test");
  EXPECT_EQ(sum, 42);
  EXPECT_EQ(text, "moved, not copied");
}

TEST(Task, ThrowsToItsParentBeforeAndAfterAWait) {
  std::vector<std::string> caught;
  CountedGate gate;
  const auto failing = [](CountedGate* at) -> Task<int> {
    if (at) co_await *at;
    throw std::runtime_error(at ? "late" : "early");
  };
  const auto root = [](auto& fail, CountedGate& at, std::vector<std::string>& out) -> Task<void> {
    for (CountedGate* where : {static_cast<CountedGate*>(nullptr), &at}) {
      try {
        (void)co_await fail(where);
        out.emplace_back("nothing");
      } catch (const std::runtime_error& error) {
        out.emplace_back(error.what());
      }
    }
  };
  spawn(root(failing, gate, caught), "test");
  EXPECT_EQ(caught, (std::vector<std::string>{"early"}));
  gate.open();
  EXPECT_EQ(caught, (std::vector<std::string>{"early", "late"}));
}

TEST(Task, DoesNotGrowTheStackWithChildrenThatNeverWait) {
  constexpr int kMany = 1'000'000;
  long long sum = 0;
  const auto root = [](long long& total) -> Task<void> {
    for (int i = 0; i < kMany; ++i) total += co_await number(1);
  };
  spawn(root(sum), "test");
  EXPECT_EQ(sum, kMany);
}

TEST(Task, ResumesItsParentOnceForEachWait) {
  std::vector<int> steps;
  CountedGate gate;
  const auto child = [](CountedGate& at, int value) -> Task<int> {
    co_await at;
    co_await at;
    co_return value;
  };
  const auto root = [](auto& make, CountedGate& at, std::vector<int>& out) -> Task<void> {
    for (int i = 0; i < 3; ++i) out.push_back(co_await make(at, i));
    out.push_back(-1);
  };
  spawn(root(child, gate, steps), "test");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(steps.size(), static_cast<std::size_t>(i));
    gate.open();
    EXPECT_EQ(steps.size(), static_cast<std::size_t>(i)) << "it waits a second time";
    gate.open();
  }
  EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, -1}));
  EXPECT_EQ(gate.waits, 6);
}

template <class T, class U>
concept MayReturn = requires(detail::TaskPromise<T> promise, U value) {
  promise.return_value(std::forward<U>(value));
};

static_assert(MayReturn<Result<bool>, bool> && MayReturn<Result<int>, error_code> &&
              MayReturn<Result<bool>, Result<bool>> && MayReturn<Result<bool>, const Result<bool>&>);
static_assert(MayReturn<Result<int>, const Result<int>> && MayReturn<error_code, const error_code>);
static_assert(!MayReturn<Result<bool>, const Result<bool>>, "what was refused would become true");
static_assert(!MayReturn<bool, Result<bool>> && !MayReturn<bool, Result<bool>&> && !MayReturn<bool, const Result<bool>>,
              "whether it is there is not what it is");
static_assert(!MayReturn<Result<bool>, Result<bool, std::string>>, "an error of another type would become true");

TEST(Task, FreesWhatWaitsInItWhenItIsDropped) {
  const auto alive = std::make_shared<int>(1);
  {
    const auto holding = [](std::shared_ptr<int> held) -> Task<int> { co_return *held; };
    auto task = holding(alive);
    EXPECT_EQ(alive.use_count(), 2);
    auto other = holding(alive);
    EXPECT_EQ(alive.use_count(), 3);
    task = std::move(other);
    EXPECT_EQ(alive.use_count(), 2) << "what it was assigned over is gone";
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(Spawn, SurvivesAnExceptionThatNobodyCaught) {
  const auto alive = std::make_shared<int>(1);
  const auto root = [](std::shared_ptr<int> held) -> Task<void> {
    if (held) throw std::runtime_error("a bug, for the log");
    co_return;
  };
  const auto odd = [](std::shared_ptr<int> held) -> Task<void> {
    if (held) throw 7;
    co_return;
  };
  EXPECT_NO_THROW(spawn(root(alive), "test"));
  EXPECT_NO_THROW(spawn(odd(alive), "test"));
  EXPECT_EQ(alive.use_count(), 1) << "its frame is freed";
}

}  // namespace
}  // namespace headgate
