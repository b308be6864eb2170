// Servers that fail, behind every policy, with nothing configured: what docs/servers.md promises.

#include "support/failing_servers.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using What = balance::EjectChange::What;
using enum Behaviour;

std::vector<const balance::Policy*> all_policies() {
  const auto all = balance::policies();
  return {all.begin(), all.end()};
}

class Failing : public testing::TestWithParam<const balance::Policy*> {
 protected:
  FailureRun run(const FailureStory& story) const { return simulate(story, *GetParam()); }
  /// The share of requests that fail from one moment to another.
  static double share(const FailureRun& run, Duration from, Duration to) {
    return run.sum(&FailureTick::failed, from, to) / run.sum(&FailureTick::asked, from, to);
  }
};

INSTANTIATE_TEST_SUITE_P(Policies, Failing, testing::ValuesIn(all_policies()),
                         [](const auto& one) { return std::string(one.param->name); });

TEST_P(Failing, AHangingServerIsOutWithinSecondsAndOneInFortySuffersAfterThat) {
  const auto story = run({.turns = {{10s, 1, hangs}, {60s, 1, healthy}}, .until = 120s});
  const auto out = story.when(What::ejected, 1);
  ASSERT_TRUE(out);
  EXPECT_LE(*out, 15s);
  EXPECT_LE(share(story, *out, 60s), 1.0 / 40);
  const auto back = story.when(What::returned, 1, 60s);
  ASSERT_TRUE(back);
  EXPECT_LE(*back, 95s);
  EXPECT_EQ(share(story, *back, 105s), 0);
  EXPECT_FALSE(story.when(What::ejected, 0)) << "its peer is healthy";
}

TEST_P(Failing, AServerThatAnswers500IsOutAtOnceAndComesBack) {
  const auto story = run({.turns = {{10s, 1, fails}, {60s, 1, healthy}}, .until = 120s});
  const auto out = story.when(What::ejected, 1);
  ASSERT_TRUE(out);
  EXPECT_LE(*out, 11s);
  EXPECT_LE(share(story, *out, 60s), 1.0 / 40);
  const auto back = story.when(What::returned, 1, 60s);
  ASSERT_TRUE(back);
  EXPECT_LE(*back, 95s);
  EXPECT_EQ(share(story, *back, 119s), 0);
}

TEST_P(Failing, AServerThatDiesCostsOnlyTheRequestsThatItHad) {
  const auto story = run({.turns = {{10s, 1, gone}, {60s, 1, healthy}}, .until = 120s});
  const auto out = story.when(What::ejected, 1);
  ASSERT_TRUE(out);
  EXPECT_LE(*out, 11s);
  EXPECT_LE(story.sum(&FailureTick::failed, 0s, 60s), 5);
  EXPECT_TRUE(story.when(What::returned, 1, 60s));
}

TEST_P(Failing, AtTwoRequestsASecondItTakesSecondsAsWell) {
  for (const auto does : {hangs, fails, gone}) {
    const auto story = run({.turns = {{30s, 1, does}, {120s, 1, healthy}}, .until = 300s, .rate = 2, .timeout = 30s});
    const auto out = story.when(What::ejected, 1);
    ASSERT_TRUE(out) << static_cast<int>(does);
    // Policies that look at what failed ask it less, and so learn later that it still fails.
    EXPECT_LE(*out, 60s) << static_cast<int>(does);
    EXPECT_LE(story.sum(&FailureTick::failed, *out, 120s), 120 * 2 / 40) << static_cast<int>(does);
    EXPECT_TRUE(story.when(What::returned, 1, 120s)) << static_cast<int>(does);
  }
}

TEST_P(Failing, EverySecondOfTheServersMayFail) {
  const auto story = run(
      {.servers = 4, .turns = {{10s, 1, hangs}, {10s, 2, fails}, {60s, 1, healthy}, {60s, 2, healthy}}, .until = 120s});
  const auto hanging = story.when(What::ejected, 1);
  const auto failing = story.when(What::ejected, 2);
  ASSERT_TRUE(hanging);
  ASSERT_TRUE(failing);
  EXPECT_LE(share(story, std::max(*hanging, *failing), 60s), 1.0 / 40);
  EXPECT_TRUE(story.when(What::returned, 1, 60s));
  EXPECT_TRUE(story.when(What::returned, 2, 60s));
}

TEST_P(Failing, AFlappingServerIsOutLongerEachTime) {
  FailureStory story{.until = 200s};
  for (auto at = 10s; at < 200s; at += 10s) {
    story.turns.push_back({at, 1, fails});
    story.turns.push_back({at + 5s, 1, healthy});
  }
  const auto flapped = run(story);
  Duration longest{0};
  for (const auto& [at, change] : flapped.changes) longest = std::max(longest, change.time);
  EXPECT_GE(longest, 15s);
  EXPECT_LE(share(flapped, 100s, 200s), 1.0 / 40);
}

TEST_P(Failing, NobodyIsEjectedIfAllFailOrAllAreSlow) {
  for (const auto does : {slow, fails, hangs}) {
    const auto story =
        run({.servers = 3, .turns = {{10s, 0, does}, {10s, 1, does}, {10s, 2, does}}, .until = 60s, .rate = 200});
    std::size_t most = 0;
    for (const auto& tick : story.ticks)
      most = std::max(most, static_cast<std::size_t>(std::count(tick.out.begin(), tick.out.end(), true)));
    EXPECT_EQ(most, 0U) << static_cast<int>(does);
  }
}

TEST_P(Failing, TheOnlyServerIsNeverOut) {
  for (const auto does : {slow, fails, hangs, gone}) {
    const auto story = run({.servers = 1, .turns = {{10s, 0, does}}, .until = 60s});
    EXPECT_TRUE(story.changes.empty());
  }
}

TEST(Ejected, NobodyWithEjectOff) {
  balance::EjectOptions off;
  off.on = false;
  const auto story = simulate({.turns = {{10s, 1, fails}}, .until = 30s, .eject = off}, balance::default_policy());
  EXPECT_TRUE(story.changes.empty());
  EXPECT_NEAR(story.sum(&FailureTick::failed, 10s, 30s), 1000, 50) << "half of them";
}

TEST(Ejected, TheSlowOneIsThatWithThreeTimesTheLatencyOfItsPeers) {
  const auto story = simulate({.servers = 3, .turns = {{10s, 1, slow}, {60s, 1, healthy}}, .until = 120s, .rate = 400},
                              balance::default_policy());
  const auto out = story.when(What::ejected, 1);
  ASSERT_TRUE(out);
  EXPECT_LE(*out, 17s);
  EXPECT_EQ(story.changes.front().second.reason, balance::EjectReason::slow);
  EXPECT_LE(story.sum(&FailureTick::late, *out, 60s) / story.sum(&FailureTick::asked, *out, 60s), 1.0 / 40);
  const auto back = story.when(What::returned, 1, 60s);
  ASSERT_TRUE(back);
  EXPECT_EQ(story.sum(&FailureTick::late, *back, 119s), 0);
}

}  // namespace
}  // namespace headgate::test
