// The adaptive limit against servers of many kinds, on a virtual clock: what docs/shedding.md promises.

#include "support/loss_simulation.hpp"
#include "support/shed_simulation.hpp"

#include <gtest/gtest.h>

#include <array>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;

const shed::ConcurrencyOptions kAdaptive{.adaptive = shed::ConcurrencyRange{}};

double capacity(unsigned places, Duration service) { return places / std::chrono::duration<double>(service).count(); }

struct Server {
  unsigned places;
  Duration service;
  bool random;
};

double millis(Duration time) { return static_cast<double>(time.count()) / 1000; }

/// The mean of all answers between two moments, in milliseconds.
double latency(const SheddingRun& run, Duration from, Duration to) {
  double sum = 0;
  for (auto at = from / SheddingRun::kTick; at < to / SheddingRun::kTick; ++at)
    sum += run.ticks[static_cast<std::size_t>(at)].latency * run.ticks[static_cast<std::size_t>(at)].answered;
  return sum / run.sum(&SheddingTick::answered, from, to);
}

class Overload : public testing::TestWithParam<Server> {};

TEST_P(Overload, OfFiveTimesTheCapacityLeavesNineTenthsOfTheGoodput) {
  const auto [places, service, random] = GetParam();
  const auto full = capacity(places, service);
  const auto run = simulate(
      {.phases = {{0s, full / 2, places, service}, {5s, full * 5, places, service}}, .until = 45s, .random = random},
      kAdaptive);
  const auto able = run.sum(&SheddingTick::capacity, 10s, 45s);
  EXPECT_GE(run.sum(&SheddingTick::answered, 10s, 45s), 0.93 * able);
  // And the queue stays short: the limit does not drift up, however long the overload lasts.
  EXPECT_LE(run.mean(&SheddingTick::limit, 35s, 45s), 1.5 * places + 4);
  EXPECT_LE(latency(run, 35s, 45s), 1.6 * millis(service));
}

// The first thing that it sees is an overload, so that nobody knows how long an answer takes without one.
TEST_P(Overload, ThatComesFirstFixesNoLimitThatIsFarTooHigh) {
  const auto [places, service, random] = GetParam();
  const auto full = capacity(places, service);
  const auto run = simulate({.phases = {{0s, full * 5, places, service}}, .until = 45s, .random = random}, kAdaptive);
  EXPECT_GE(run.sum(&SheddingTick::answered, 1s, 45s), 0.93 * run.sum(&SheddingTick::capacity, 1s, 45s));
  EXPECT_LE(run.mean(&SheddingTick::limit, 35s, 45s), 1.5 * places + 4);
  EXPECT_LE(latency(run, 35s, 45s), 1.6 * millis(service));
}

double served(const SheddingRun& run, shed::Priority priority) {
  const auto at = static_cast<std::size_t>(priority);
  return 1 - run.refused[at] / run.offered[at];
}

class MixedPriorities : public testing::TestWithParam<Server> {
 protected:
  /// So much of what the server can do is asked for with each priority.
  void ask(double critical, double normal, double low) {
    const auto [places, service, random] = GetParam();
    const auto full = capacity(places, service);
    const double all = critical + normal + low;
    run = simulate({.phases = {{0s, full / 2, places, service}, {5s, full * all, places, service}},
                    .until = 30s,
                    .random = random,
                    .critical = critical / all,
                    .low = low / all},
                   kAdaptive);
  }
  double goodput() const {
    return run.sum(&SheddingTick::answered, 6s, 30s) / run.sum(&SheddingTick::capacity, 6s, 30s);
  }
  SheddingRun run;
};

TEST_P(MixedPriorities, OfOthersDoNotTouchCriticalRequests) {
  ask(0.5, 1, 1);
  EXPECT_GE(served(run, shed::Priority::critical), 0.99);
  EXPECT_GE(served(run, shed::Priority::normal), 0.35);
  EXPECT_LE(served(run, shed::Priority::low), 0.3);  // as in the five seconds before
  EXPECT_GE(goodput(), 0.9);
}

TEST_P(MixedPriorities, OfLowRequestsDoNotTouchNormalOnes) {
  ask(0, 0.5, 3);
  EXPECT_GE(served(run, shed::Priority::normal), 0.97);
  EXPECT_GE(goodput(), 0.9);
}

TEST_P(MixedPriorities, ThatAreLowUseTheWholeServerIfTheyAreAlone) {
  ask(0, 0, 3);
  EXPECT_GE(goodput(), 0.9);
}

// A tenth too much is no outage for anybody: at the server a short queue makes up for what is held free.
TEST_P(MixedPriorities, InALightOverloadCostNoGoodput) {
  const auto places = GetParam().places;
  for (const auto& [critical, normal, low] : {std::array{0.5, 0.6, 0.0}, {0.2, 0.3, 0.6}, {0.0, 0.5, 0.6}}) {
    ask(critical, normal, low);
    EXPECT_GE(goodput(), 0.95 * 1.1 * (1 - loss_formula(places, 1.1 * places)));
    EXPECT_GE(served(run, shed::Priority::normal), 0.6);
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, MixedPriorities,
                         testing::Values(Server{16, 30ms, false}, Server{16, 30ms, true}, Server{8, 5ms, true},
                                         Server{100, 100ms, true}));

INSTANTIATE_TEST_SUITE_P(Servers, Overload,
                         testing::Values(Server{4, 30ms, false}, Server{4, 30ms, true}, Server{16, 30ms, false},
                                         Server{16, 30ms, true}, Server{100, 100ms, true}, Server{200, 200ms, true},
                                         Server{8, 5ms, true}));

TEST(ServerThatSlowsDownUnderLoad, KeepsMostOfItsGoodput) {
  const auto full = capacity(16, 30ms);
  const SheddingScenario scenario{
      .phases = {{0s, full / 2, 16, 30ms}, {5s, full * 5, 16, 30ms}}, .until = 40s, .thrash = 0.5};
  const auto run = simulate(scenario, kAdaptive);
  EXPECT_GE(run.sum(&SheddingTick::answered, 10s, 40s), 0.85 * run.sum(&SheddingTick::capacity, 10s, 40s));
  // Without a limit it loses half of it.
  const auto without = simulate(scenario, {.adaptive = shed::ConcurrencyRange{.least = 64, .most = 1000}});
  EXPECT_LT(without.sum(&SheddingTick::answered, 10s, 40s), 0.7 * run.sum(&SheddingTick::answered, 10s, 40s));
}

TEST(LongOverload, DoesNotDriftUp) {
  const auto full = capacity(16, 30ms);
  const auto run =
      simulate({.phases = {{0s, full / 2, 16, 30ms}, {5s, full * 1.2, 16, 30ms}}, .until = 300s}, kAdaptive);
  EXPECT_LE(run.mean(&SheddingTick::limit, 200s, 300s), 30);
  EXPECT_GE(run.sum(&SheddingTick::answered, 10s, 300s), 0.9 * run.sum(&SheddingTick::capacity, 10s, 300s));
}

TEST(StartUnderOverload, FindsAShortQueue) {
  const auto full = capacity(16, 30ms);
  const auto run = simulate({.phases = {{0s, full * 5, 16, 30ms}}, .until = 60s}, kAdaptive);
  EXPECT_GE(run.sum(&SheddingTick::answered, 1s, 60s), 0.93 * run.sum(&SheddingTick::capacity, 1s, 60s));
  EXPECT_LE(run.mean(&SheddingTick::limit, 20s, 60s), 48);
}

TEST(SlowDown, WithoutAQueueIsLearnedWithinSeconds) {
  // Three times slower for everybody, and room for all: refusing would not make it faster.
  const auto run = simulate(
      {.phases = {{0s, 1000, 1000, 30ms}, {10s, 1000, 1000, 90ms}, {40s, 1000, 1000, 30ms}}, .until = 60s}, kAdaptive);
  EXPECT_EQ(run.sum(&SheddingTick::refused, 2s, 10s), 0);
  EXPECT_LE(run.sum(&SheddingTick::refused, 10s, 60s), 0.05 * run.sum(&SheddingTick::offered, 10s, 60s));
  EXPECT_LE(run.sum(&SheddingTick::refused, 16s, 60s), 0.005 * run.sum(&SheddingTick::offered, 16s, 60s));
}

TEST(Recovery, OfAServerTakesSeconds) {
  // A quarter of its places for twenty seconds.
  const auto full = capacity(64, 30ms);
  const auto rate = full * 0.8;
  const auto run = simulate(
      {.phases = {{0s, rate, 64, 30ms}, {10s, rate, 16, 30ms}, {30s, rate, 64, 30ms}}, .until = 60s}, kAdaptive);
  EXPECT_GE(run.sum(&SheddingTick::answered, 12s, 30s), 0.9 * run.sum(&SheddingTick::capacity, 12s, 30s));
  EXPECT_LE(run.sum(&SheddingTick::refused, 40s, 60s), 0.02 * run.sum(&SheddingTick::offered, 40s, 60s));
}

TEST(BimodalLatency, IsNotTakenForCongestion) {
  const auto run =
      simulate({.phases = {{0s, 1000, 1000, 5ms}}, .until = 60s, .slow_share = 0.1, .slow = 500ms}, kAdaptive);
  EXPECT_LE(run.sum(&SheddingTick::refused, 5s, 60s), 0.01 * run.sum(&SheddingTick::offered, 5s, 60s));
}

TEST(SuddenLoad, IsServedAfterASecond) {
  const auto run = simulate({.phases = {{0s, 20, 200, 30ms}, {5s, 5000, 200, 30ms}}, .until = 15s}, kAdaptive);
  EXPECT_LE(run.sum(&SheddingTick::refused, 6s, 15s), 0.01 * run.sum(&SheddingTick::offered, 6s, 15s));
}

TEST(HealthyTraffic, IsNeverRefusedForAMeasurement) {
  const auto run = simulate({.phases = {{0s, 300, 64, 30ms}}, .until = 300s}, kAdaptive);
  EXPECT_EQ(run.sum(&SheddingTick::refused, 1s, 300s), 0);
}

TEST(CriticalRequests, LoseNothingWhileTheyNeedLessThanTheReserve) {
  const auto full = capacity(32, 30ms);
  auto options = kAdaptive;
  options.reserved = shed::ConcurrencyOptions::kWhole / 4;
  // A hundredth of five times the capacity: a twentieth of what the server can do.
  const auto run = simulate({.phases = {{0s, full / 2, 32, 30ms}, {5s, full * 5, 32, 30ms}},
                             .until = 30s,
                             .random = false,
                             .critical = 0.01,
                             .low = 0.3},
                            options);
  const auto share = [&](shed::Priority priority) {
    const auto at = static_cast<std::size_t>(priority);
    return run.refused[at] / run.offered[at];
  };
  EXPECT_LE(share(shed::Priority::critical), 0.001);
  EXPECT_GT(share(shed::Priority::normal), 0.5);
  EXPECT_GT(share(shed::Priority::low), share(shed::Priority::normal));
  EXPECT_LT(share(shed::Priority::low), 1);  // a trickle
  EXPECT_GE(run.sum(&SheddingTick::answered, 10s, 30s), 0.9 * run.sum(&SheddingTick::capacity, 10s, 30s));
}

}  // namespace
}  // namespace headgate::test
