// What every policy promises. A new policy adds its row.

#include "headgate/balance/policy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace headgate::balance {
namespace {

struct NamedPolicy {
  const char* name;
  Policy choose;
};

constexpr NamedPolicy kEveryPolicy[] = {{"round_robin", round_robin}};

/// Turns in which a promise is tried; among them those before the count overflows.
constexpr std::uint64_t kTurns[] = {0, 1, 2, 3, 4, 5, 1'000'003, std::numeric_limits<std::uint64_t>::max()};

class EveryPolicy : public testing::TestWithParam<NamedPolicy> {
 protected:
  /// Servers that differ in all that a policy may look at.
  EveryPolicy() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      table_[i].weight = static_cast<std::uint32_t>(1 + i % 3);
      table_[i].in_flight = static_cast<std::uint32_t>(7 * (i % 2));
      table_[i].latency = Duration(1000 * (4 - i));
    }
  }
  std::optional<std::size_t> choose(std::uint64_t turn, std::span<const bool> tried = {}) const {
    return GetParam().choose(table_.servers(), {turn, tried});
  }
  /// How many servers a request is given that can reach none of them. Fails if one comes twice or is down.
  std::size_t tries(std::uint64_t turn, bool down_too = false) {
    const auto tried = std::make_unique<bool[]>(table_.size());
    std::size_t count = 0;
    while (const auto at = choose(turn++, {tried.get(), table_.size()})) {
      EXPECT_LT(*at, table_.size());
      EXPECT_FALSE(tried[*at]) << "server " << *at << " again";
      EXPECT_TRUE(down_too || table_[*at].state == State::up) << "server " << *at << " is down";
      if (HasFailure()) return count;
      tried[*at] = true;
      ++count;
    }
    return count;
  }

  Table table_{4};
};

TEST_P(EveryPolicy, GivesEachServerOnceToARequestThatReachesNone) {
  for (const auto turn : kTurns) EXPECT_EQ(tries(turn), 4U) << turn;
}

TEST_P(EveryPolicy, LeavesOutServersThatAreDown) {
  table_[0].state = table_[2].state = State::down;
  for (const auto turn : kTurns) EXPECT_EQ(tries(turn), 2U) << turn;
}

TEST_P(EveryPolicy, ChoosesAsIfAllWereUpIfAllAreDown) {
  for (const auto turn : kTurns) {
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i].state = State::up;
    const auto chosen = choose(turn);
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i].state = State::down;
    EXPECT_EQ(choose(turn), chosen) << turn;
    EXPECT_EQ(tries(turn, true), 4U) << turn;
  }
}

TEST_P(EveryPolicy, ChoosesTheSameIfItIsAskedAgain) {
  for (const auto turn : kTurns) EXPECT_EQ(choose(turn), choose(turn)) << turn;
}

TEST_P(EveryPolicy, ChoosesNoneWithoutServers) {
  const Table none(0);
  for (const auto turn : kTurns) EXPECT_EQ(GetParam().choose(none.servers(), {turn, {}}), std::nullopt) << turn;
}

TEST_P(EveryPolicy, ComparesTheLargestNumbers) {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    table_[i].in_flight = std::numeric_limits<std::uint32_t>::max();
    table_[i].latency = Duration::max();
  }
  for (const auto turn : kTurns) EXPECT_EQ(tries(turn), 4U) << turn;
}

INSTANTIATE_TEST_SUITE_P(All, EveryPolicy, testing::ValuesIn(kEveryPolicy),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace headgate::balance
