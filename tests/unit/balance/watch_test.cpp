// What a watch tells the tables of its workers, and what of their counters it believes.

#include "headgate/balance/watch.hpp"

#include <gtest/gtest.h>

namespace headgate::balance {
namespace {

using namespace std::chrono_literals;

WatchOptions servers(std::vector<std::string> names) {
  return {.servers = std::move(names), .eject = {}, .circuit = {}};
}

class WatchTest : public testing::Test {
 protected:
  void end(Table& table, std::size_t at, AttemptOutcome outcome, unsigned times = 1) {
    for (unsigned i = 0; i < times; ++i) {
      AttemptTally counted;
      auto& tally = table[at].tally;
      tally.begin(counted);
      tally.ask(counted);
      tally.note(counted, outcome, 10ms);
      tally.end(counted);
    }
  }
  WatchNews tick() { return watch.tick(now += 250ms); }

  Watch watch{servers({"a", "b"}), nullptr};
  Table one{2};
  Table other{2};
  std::shared_ptr<WatchPart> part = watch.join(one);
  Watch::Steady now{1h};
};

TEST_F(WatchTest, AddsUpWhatItsWorkersCount) {
  const auto second = watch.join(other);
  end(one, 0, AttemptOutcome::answered, 9);
  end(one, 1, AttemptOutcome::server_error, 2);
  end(other, 1, AttemptOutcome::server_error, 1);
  const auto news = tick();
  ASSERT_EQ(news.servers.size(), 1U);
  EXPECT_EQ(news.servers[0].at, 1U);
  EXPECT_EQ(one[1].out, kEjected);
  EXPECT_EQ(other[1].out, kEjected);
  EXPECT_EQ(one[0].out, 0);
}

TEST_F(WatchTest, AWorkerThatComesLaterFindsItOutToo) {
  end(one, 1, AttemptOutcome::server_error, 3);
  tick();
  const auto second = watch.join(other);
  EXPECT_EQ(other[1].out, kEjected);
}

TEST_F(WatchTest, WhatBeganBeforeAnEjectionIsNotCounted) {
  AttemptTally old;
  one[1].tally.begin(old);
  one[1].tally.ask(old);
  end(one, 1, AttemptOutcome::server_error, 3);
  tick();
  one[1].tally.note(old, AttemptOutcome::timeout, Duration(-1));
  EXPECT_EQ(one[1].tally.ended[static_cast<std::size_t>(AttemptOutcome::timeout)], 0U);
  one[1].tally.end(old);
  EXPECT_EQ(one[1].tally.open, 0U);
}

TEST_F(WatchTest, OneWorkerIsToldToTryAServerAndThenTheServerIsBack) {
  end(one, 0, AttemptOutcome::answered, 50);
  end(one, 1, AttemptOutcome::server_error, 3);
  tick();
  for (int i = 0; i < 40; ++i) {
    end(one, 0, AttemptOutcome::answered, 5);
    tick();
    if (part->trial.exchange(0) != 2) continue;
    AttemptTally counted;
    one[1].tally.begin(counted);
    counted.trial = true;
    one[1].tally.note(counted, AttemptOutcome::answered, 10ms);
    one[1].tally.end(counted);
  }
  EXPECT_EQ(one[1].out, 0);
  EXPECT_GT(one[1].since, 0) << "for the slow start";
  EXPECT_EQ(one[1].tally.trials_passed, Ejection::kTrials);
}

TEST_F(WatchTest, AnOrderThatNobodyTakesGoesToAnotherWorker) {
  const auto second = watch.join(other);
  end(one, 1, AttemptOutcome::server_error, 3);
  tick();
  end(one, 0, AttemptOutcome::answered, 50);
  for (int i = 0; i < 20; ++i) tick();
  end(other, 0, AttemptOutcome::answered, 1);
  bool both[2] = {};
  for (int i = 0; i < 20; ++i) {
    tick();
    both[0] = both[0] || part->trial != 0;
    both[1] = both[1] || second->trial != 0;
    EXPECT_FALSE(part->trial != 0 && second->trial != 0) << "one at a time";
  }
  EXPECT_TRUE(both[0] && both[1]);
}

TEST_F(WatchTest, MarksAreBitsOfTheirOwn) {
  watch.mark(0, kUnhealthy, true, now);
  EXPECT_EQ(one[0].out, kUnhealthy);
  EXPECT_TRUE(watch.marked(0, kUnhealthy));
  end(one, 1, AttemptOutcome::server_error, 9);
  EXPECT_TRUE(tick().servers.empty()) << "it is the last one";
  watch.mark(0, kUnhealthy, false, now);
  EXPECT_EQ(one[0].out, 0);
}

TEST_F(WatchTest, AnotherOneTakesOverWhatIsKnownOfTheSameServers) {
  end(one, 1, AttemptOutcome::server_error, 3);
  tick();
  Watch next(servers({"c", "b", "d"}), &watch);
  Table table(3);
  const auto joined = next.join(table);
  EXPECT_EQ(table[1].out, kEjected);
  EXPECT_EQ(table[0].out, 0);
  auto off = servers({"c", "b", "d"});
  off.eject.on = false;
  Watch without(off, &watch);
  Table free(3);
  const auto third = without.join(free);
  EXPECT_EQ(free[1].out, 0);
}

TEST_F(WatchTest, WhatIsMarkedWhileTheNextOneWaitsHoldsThereToo) {
  watch.mark(0, kDown, true, now);
  auto next = std::make_shared<Watch>(servers({"new", "b", "a", "a"}), &watch);
  watch.mark(0, kDown, false, now);
  watch.hand_marks_to(next);
  EXPECT_EQ(next->report(now).servers[2].out, 0);
  EXPECT_EQ(next->report(now).servers[3].out, 0);
  watch.mark(1, kDrained, true, now);
  watch.mark(0, kUnhealthy, true, now);
  const auto second = next->join(other = Table(4));
  EXPECT_EQ(other[0].out, 0);
  EXPECT_EQ(other[1].out, kDrained);
  EXPECT_EQ(other[2].out, kUnhealthy);
  EXPECT_EQ(other[3].out, kUnhealthy) << "it is listed twice";
  watch.mark(1, kDrained, false, now);
  EXPECT_EQ(other[1].out, 0);
  next.reset();  // it was not taken, and the one before goes on
  watch.mark(1, kDrained, true, now);
  EXPECT_EQ(one[1].out, kDrained);
}

TEST_F(WatchTest, ReportsWhoIsOutAndWhy) {
  end(one, 1, AttemptOutcome::no_connection, 3);
  tick();
  AttemptTally counted;
  one[0].tally.begin(counted);
  const auto report = watch.report(now + 2s);
  EXPECT_EQ(report.servers[0].in_flight, 1U);
  EXPECT_EQ(report.servers[0].since, Duration(0));
  EXPECT_EQ(report.servers[1].server, "b");
  EXPECT_EQ(report.servers[1].reason, EjectReason::unreachable);
  EXPECT_EQ(report.servers[1].since, Duration(2s));
}

}  // namespace
}  // namespace headgate::balance
