#include "headgate/core/scoped_task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace headgate {
namespace {

/// A coroutine waits here until the test continues it.
struct Gate {
  std::coroutine_handle<> waiter;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  void await_resume() const noexcept {}
  void open() { std::exchange(waiter, nullptr).resume(); }
};

using Log = std::vector<std::string>;

Task<void> at_once(Log& log) {
  log.emplace_back("child");
  co_return;
}

Task<void> waiting(Gate& gate, Log& log) {
  log.emplace_back("child waits");
  co_await gate;
  log.emplace_back("child ends");
}

Task<void> failing(Gate* gate, std::shared_ptr<int> held) {
  if (gate) co_await *gate;
  if (held) throw std::runtime_error("a bug, for the log");
}

TEST(ScopedTask, IsDoneIfItNeverStarted) {
  ScopedTask child;
  EXPECT_TRUE(child.done());
}

TEST(ScopedTask, MayEndBeforeItIsJoined) {
  Log log;
  const auto parent = [](Log& out) -> Task<void> {
    ScopedTask child;
    child.start(at_once(out), "child");
    EXPECT_TRUE(child.done());
    co_await child.join();
    out.emplace_back("parent");
  };
  spawn(parent(log), "parent");
  EXPECT_EQ(log, (Log{"child", "parent"}));
}

TEST(ScopedTask, KeepsItsParentWaitingUntilItEnds) {
  Log log;
  Gate gate;
  const auto parent = [](Gate& at, Log& out) -> Task<void> {
    ScopedTask child;
    child.start(waiting(at, out), "child");
    EXPECT_FALSE(child.done());
    out.emplace_back("parent joins");
    co_await child.join();
    EXPECT_TRUE(child.done());
    out.emplace_back("parent ends");
  };
  spawn(parent(gate, log), "parent");
  EXPECT_EQ(log, (Log{"child waits", "parent joins"}));
  gate.open();
  EXPECT_EQ(log, (Log{"child waits", "parent joins", "child ends", "parent ends"}));
}

TEST(ScopedTask, EndsBesideAParentThatWaitsElsewhere) {
  Log log;
  Gate child_gate, parent_gate;
  const auto parent = [](Gate& childs, Gate& own, Log& out) -> Task<void> {
    ScopedTask child;
    child.start(waiting(childs, out), "child");
    co_await own;
    EXPECT_TRUE(child.done());
    co_await child.join();
    out.emplace_back("parent ends");
  };
  spawn(parent(child_gate, parent_gate, log), "parent");
  child_gate.open();
  EXPECT_EQ(log, (Log{"child waits", "child ends"}));
  parent_gate.open();
  EXPECT_EQ(log, (Log{"child waits", "child ends", "parent ends"}));
}

TEST(ScopedTask, EndsByAnExceptionTooAndFreesItsFrame) {
  for (const bool waits : {false, true}) {
    const auto alive = std::make_shared<int>(1);
    Log log;
    Gate gate;
    const auto parent = [](Gate* at, std::shared_ptr<int> held, Log& out) -> Task<void> {
      ScopedTask child;
      child.start(failing(at, std::move(held)), "child");
      co_await child.join();
      EXPECT_TRUE(child.done());
      out.emplace_back("parent ends");
    };
    spawn(parent(waits ? &gate : nullptr, alive, log), "parent");
    if (waits) {
      EXPECT_TRUE(log.empty());
      gate.open();
    }
    EXPECT_EQ(log, (Log{"parent ends"}));
    EXPECT_EQ(alive.use_count(), 1);
  }
}

TEST(ScopedTask, CanBeStartedAgainOnceDone) {
  Log log;
  Gate gate;
  const auto parent = [](Gate& at, Log& out) -> Task<void> {
    ScopedTask child;
    for (int i = 0; i < 3; ++i) {
      child.start(waiting(at, out), "child");
      co_await child.join();
    }
    out.emplace_back("parent ends");
  };
  spawn(parent(gate, log), "parent");
  for (int i = 0; i < 3; ++i) gate.open();
  EXPECT_EQ(log.size(), 7U);
  EXPECT_EQ(log.back(), "parent ends");
}

}  // namespace
}  // namespace headgate
