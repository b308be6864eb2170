// What depends on the number of gateways: each one's part of limits, capacities and waiting rooms while Redis is away.

#include "headgate/gateway/fleet_size.hpp"

#include "support/rules.hpp"

#include "headgate/gateway/capacity.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/upstream_options.hpp"
#include "headgate/gateway/waiting_room.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace headgate::gateway {
namespace {

TEST(SharersOfALimit, AreThoseThatWereSeenAndAtLeastThoseOfTheConfiguration) {
  const auto fleet = std::make_shared<FleetSize>();
  const Sharers four(4, fleet);
  EXPECT_EQ(four.count(), 4U) << "nobody has counted them";
  fleet->seen(2);
  EXPECT_EQ(four.count(), 4U);
  fleet->seen(7);
  EXPECT_EQ(four.count(), 7U);
  EXPECT_EQ(Sharers(0).count(), 1U);
  EXPECT_EQ(Sharers(3).count(), 3U);
}

TEST(SharersOfALimit, AreNoMoreThanCanBeBelieved) {
  FleetSize fleet;
  fleet.seen(4'000'000'000U);
  EXPECT_EQ(fleet.seen(), FleetSize::kMax);
}

TEST(PartOfALimit, FollowsTheNumberOfGateways) {
  const auto fleet = std::make_shared<FleetSize>();
  limit::Tier tier;
  tier.rules.push_back(headgate::test::make_rule("20/hour", 0, "read"));
  Fraction share;
  share.sharers = Sharers(1, fleet);
  const auto compiled = compile_tier(tier, share, 1);
  const auto& alone = compiled.local->current();
  EXPECT_EQ(alone.rules.front().burst, 20U);
  fleet->seen(4);
  EXPECT_EQ(compiled.local->current().rules.front().burst, 5U);
  EXPECT_EQ(compiled.local->current().rules.front().seed, compiled.rules.front().seed) << "one counter for all sizes";
  fleet->seen(100);
  EXPECT_EQ(compiled.local->current().rules.front().burst, 1U) << "it lets a request through";
  fleet->seen(1);
  EXPECT_EQ(&compiled.local->current(), &alone) << "requests may still use it";
}

TEST(PartOfACapacity, FollowsTheNumberOfGateways) {
  const auto fleet = std::make_shared<FleetSize>();
  UpstreamOptions upstream;
  upstream.name = "app";
  upstream.concurrency.emplace();
  upstream.concurrency->in_flight = 12;
  const auto capacity = compile_capacity(upstream, Sharers(2, fleet));
  EXPECT_EQ(capacity->sizes().front().front().share.burst, 6U);
  fleet->seen(3);
  EXPECT_EQ(capacity->sizes().front().front().share.burst, 4U);
  EXPECT_EQ(capacity->sizes().front().front().all.burst, 12U);
}

TEST(PartOfARoom, FollowsTheNumberOfGateways) {
  const auto fleet = std::make_shared<FleetSize>();
  WaitingRoom room;
  room.rule.visitors = 100;
  const CompiledRoom compiled(room, Sharers(1, fleet));
  EXPECT_EQ(compiled.alone.current().rule.visitors, 100U);
  fleet->seen(5);
  EXPECT_EQ(compiled.alone.current().rule.visitors, 20U);
  EXPECT_EQ(compiled.alone.current().stride, 5);
}

TEST(ForSharersOfAll, MakesEachOnceWhileWorkersAsk) {
  const auto fleet = std::make_shared<FleetSize>();
  std::atomic<int> made{0};
  const ForSharers<std::uint32_t> doubled(Sharers(1, fleet), [&made](std::uint32_t gateways) {
    ++made;
    return 2 * gateways;
  });
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] {
      for (std::uint32_t n = 0; n < 2000; ++n) {
        fleet->seen(1 + n % 8);
        EXPECT_EQ(doubled.current() % 2, 0U);
      }
    });
  for (auto& worker : workers) worker.join();
  EXPECT_LE(made, 8);
}

}  // namespace
}  // namespace headgate::gateway
