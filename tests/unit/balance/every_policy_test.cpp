// What every policy promises. A new policy is in the table of policies, and so in this test.

#include "headgate/balance/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace headgate::balance {
namespace {

/// Turns in which a promise is tried; among them those before the count overflows.
constexpr std::uint64_t kTurns[] = {0, 1, 2, 3, 4, 5, 1'000'003, std::numeric_limits<std::uint64_t>::max()};

class EveryPolicy : public testing::TestWithParam<const Policy*> {
 protected:
  /// Servers that differ in all that a policy may look at.
  EveryPolicy() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      table_[i].weight = static_cast<std::uint32_t>(1 + i % 3);
      table_[i].in_flight = static_cast<std::uint32_t>(7 * (i % 2));
      table_[i].latency = Duration(1000 * (4 - i));
    }
  }
  std::optional<std::size_t> choose(std::uint64_t turn) const {
    return GetParam()->choose(table_, {.turn = turn, .choice = nullptr});
  }
  /// The servers that a request is given that can reach none of them, sorted; fails if one comes twice.
  std::string tries(std::uint64_t turn) {
    Choice choice;
    std::string out;
    while (const auto at = GetParam()->choose(table_, {.turn = turn++, .choice = &choice})) {
      EXPECT_LT(*at, table_.size());
      EXPECT_FALSE(choice.tried.has(*at)) << "server " << *at << " again";
      if (HasFailure()) return out;
      choice.tried.add(*at);
      out += static_cast<char>('a' + *at);
    }
    return out;
  }
  std::string sorted_tries(std::uint64_t turn) {
    auto out = tries(turn);
    std::sort(out.begin(), out.end());
    return out;
  }
  void all(std::uint8_t out) {
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i].out = out;
  }

  Table table_{4};
};

TEST_P(EveryPolicy, GivesEachServerOnceToARequestThatReachesNone) {
  for (const auto turn : kTurns) EXPECT_EQ(sorted_tries(turn), "abcd") << turn;
}

TEST_P(EveryPolicy, LeavesOutServersThatAreOut) {
  for (const auto why : {kUnhealthy, kEjected, kFull, kDrained, kDown}) {
    table_[0].out = table_[2].out = why;
    for (const auto turn : kTurns) EXPECT_EQ(sorted_tries(turn), "bd") << turn;
  }
}

TEST_P(EveryPolicy, TriesBackupServersLast) {
  table_[0].backup = table_[1].backup = true;
  for (const auto turn : kTurns) {
    auto order = tries(turn);
    ASSERT_EQ(order.size(), 4U);
    std::sort(order.begin(), order.begin() + 2);
    std::sort(order.begin() + 2, order.end());
    EXPECT_EQ(order, "cdab") << turn;
  }
}

TEST_P(EveryPolicy, ChoosesABackupServerIfNoOtherIsIn) {
  table_[2].backup = true;
  table_[0].out = table_[1].out = table_[3].out = kEjected;
  for (const auto turn : kTurns) EXPECT_EQ(tries(turn), "c") << turn;
}

TEST_P(EveryPolicy, ChoosesAsIfAllWereInIfAllAreOutByAGuess) {
  table_[3].backup = true;
  for (const auto turn : kTurns) {
    all(0);
    const auto chosen = choose(turn);
    for (const std::uint8_t why : {kUnhealthy, kEjected, kGuessed}) {
      all(why);
      EXPECT_EQ(choose(turn), chosen) << turn;
      EXPECT_EQ(sorted_tries(turn), "abcd") << turn;
    }
  }
}

TEST_P(EveryPolicy, NeverChoosesAServerThatIsFullOrDrained) {
  all(kFull | kEjected);
  for (const auto turn : kTurns) EXPECT_EQ(choose(turn), std::nullopt) << turn;
  table_[1].out = kEjected;
  table_[2].out = kDrained;
  for (const auto turn : kTurns) EXPECT_EQ(tries(turn), "b") << turn << ": that one may still answer";
}

TEST_P(EveryPolicy, ChoosesTheSameIfItIsAskedAgain) {
  for (const auto turn : kTurns) EXPECT_EQ(choose(turn), choose(turn)) << turn;
}

TEST_P(EveryPolicy, ChoosesNoneWithoutServers) {
  const Table none(0);
  for (const auto turn : kTurns)
    EXPECT_EQ(GetParam()->choose(none, {.turn = turn, .choice = nullptr}), std::nullopt) << turn;
}

TEST_P(EveryPolicy, ComparesTheLargestNumbers) {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    table_[i].weight = kMaxWeight;
    table_[i].in_flight = std::numeric_limits<std::uint32_t>::max();
    table_[i].latency = Duration::max();
  }
  for (const auto turn : kTurns) EXPECT_EQ(sorted_tries(turn), "abcd") << turn;
}

INSTANTIATE_TEST_SUITE_P(All, EveryPolicy, testing::ValuesIn(policies().begin(), policies().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace headgate::balance
