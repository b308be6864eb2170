// Whether a server answers at all, and what went to it lately.

#include "headgate/balance/reach.hpp"

#include "headgate/balance/recent_use.hpp"
#include "headgate/balance/watch.hpp"

#include <gtest/gtest.h>

namespace headgate::balance {
namespace {

using namespace std::chrono_literals;

ServerResults outcomes(AttemptOutcome outcome, std::uint32_t times) {
  ServerResults out;
  out.ended[static_cast<std::size_t>(outcome)] = times;
  return out;
}

constexpr Reach::Steady kStart{1h};

TEST(Reach, FailsAfterThreeAttemptsInARowWithoutAnAnswer) {
  for (const auto outcome : {AttemptOutcome::no_connection, AttemptOutcome::timeout, AttemptOutcome::broken}) {
    Reach reach;
    reach.note(kStart, outcomes(outcome, 2));
    EXPECT_FALSE(reach.failing());
    reach.note(kStart + 1s, outcomes(outcome, 1));
    EXPECT_TRUE(reach.failing());
    EXPECT_EQ(reach.last(), outcome);
    EXPECT_EQ(reach.since(), kStart) << "since the first of them";
    reach.note(kStart + 2s, {});
    EXPECT_TRUE(reach.failing()) << "nothing happened";
    reach.note(kStart + 3s, outcomes(AttemptOutcome::server_error, 1));
    EXPECT_FALSE(reach.failing()) << "an error is an answer";
  }
}

TEST(Reach, HoldsIfSomeAttemptsAreAnswered) {
  Reach reach;
  auto happened = outcomes(AttemptOutcome::no_connection, 100);
  happened.ended[static_cast<std::size_t>(AttemptOutcome::answered)] = 1;
  reach.note(kStart, happened);
  EXPECT_FALSE(reach.failing());
}

TEST(Reach, IsWellAgainByACheckUnlessAttemptsFailStill) {
  Reach reach;
  reach.note(kStart, outcomes(AttemptOutcome::no_connection, 3));
  reach.passed_check(kStart + 9s);
  EXPECT_TRUE(reach.failing());
  reach.passed_check(kStart + 10s);
  EXPECT_FALSE(reach.failing());
}

TEST(Reach, CountsNoFurtherThanItCan) {
  Reach reach;
  for (int i = 0; i < 3; ++i) reach.note(kStart, outcomes(AttemptOutcome::broken, 4'000'000'000));
  EXPECT_TRUE(reach.failing());
}

TEST(RecentUse, TellsRatesOfTheLastWholeSecondsAndForgetsThem) {
  RecentUse use;
  for (int second = 0; second < 20; ++second) {
    auto happened = outcomes(AttemptOutcome::answered, 8);
    happened.ended[static_cast<std::size_t>(AttemptOutcome::timeout)] = 1;
    happened.ended[static_cast<std::size_t>(AttemptOutcome::no_connection)] = 2;
    happened.latencies.add(latency_bucket(10ms), 8);
    use.note(kStart + std::chrono::seconds(second), happened);
  }
  const auto rates = use.rates(kStart + 20s);
  EXPECT_DOUBLE_EQ(rates.attempts, 11);
  EXPECT_DOUBLE_EQ(rates.errors, 1);
  EXPECT_DOUBLE_EQ(rates.not_connected, 2);
  EXPECT_GE(rates.p95, 10ms);
  EXPECT_LE(rates.p95, 13ms);
  EXPECT_DOUBLE_EQ(use.rates(kStart + 40s).attempts, 0);
}

class WatchedAlone : public testing::Test {
 protected:
  void fail(Table& table, unsigned times) {
    for (unsigned i = 0; i < times; ++i) table[0].tally.fail(AttemptOutcome::no_connection, false);
  }
  WatchReport tick(Watch& watch) {
    watch.tick(now += 250ms);
    return watch.report(now);
  }

  Watch::Steady now{1h};
};

TEST_F(WatchedAlone, TheOnlyServerOfAnUpstreamIsDownWhenNothingReachesIt) {
  Watch watch({.servers = {"a"}, .eject = {}, .circuit = {}}, nullptr);
  Table one{1};
  Table other{1};
  const auto part = watch.join(one);
  const auto second = watch.join(other);
  EXPECT_FALSE(tick(watch).all_down()) << "up until it is known to be down";
  fail(one, 2);
  fail(other, 1);
  const auto report = tick(watch);
  EXPECT_TRUE(report.all_down());
  EXPECT_EQ(report.servers[0].out, 0) << "it still gets requests, because there is no other";
  EXPECT_EQ(report.servers[0].failed_in_a_row, 3U);
  AttemptTally counted;
  one[0].tally.begin(counted);
  one[0].tally.note(counted, AttemptOutcome::answered, 1ms);
  one[0].tally.end(counted);
  EXPECT_FALSE(tick(watch).all_down());
}

TEST_F(WatchedAlone, AReloadKeepsWhatIsKnown) {
  Watch watch({.servers = {"a", "b"}, .eject = {}, .circuit = {}}, nullptr);
  Table one{2};
  const auto part = watch.join(one);
  fail(one, 3);
  tick(watch);
  Watch next({.servers = {"c", "a"}, .eject = {}, .circuit = {}}, &watch);
  const auto report = next.report(now);
  EXPECT_TRUE(report.servers[1].failing);
  EXPECT_FALSE(report.servers[0].failing);
}

}  // namespace
}  // namespace headgate::balance
