#include "headgate/balance/policy.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace headgate::balance {
namespace {

std::size_t least_busy(const Table& table, std::uint64_t turn = 0) {
  return *find_policy("least_in_flight")->choose(table, {.turn = turn});
}

TEST(LeastInFlight, ComparesRequestsWithWeights) {
  Table table(2);
  table[0].weight = 3;
  table[0].in_flight = 5;
  table[1].in_flight = 2;
  EXPECT_EQ(least_busy(table), 0U) << "5 of 3 are fewer than 2 of 1";
  table[0].in_flight = 7;
  EXPECT_EQ(least_busy(table), 1U);
}

TEST(LeastInFlight, TakesEqualServersInTurn) {
  Table table(4);
  table[2].in_flight = 1;
  std::string order;
  for (std::uint64_t turn = 0; turn < 6; ++turn) order += static_cast<char>('a' + least_busy(table, turn));
  EXPECT_EQ(order, "abdabd");
}

TEST(LeastInFlight, NeverChoosesAServerWithMoreForItsWeight) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    Table table(1 + random() % 9);
    for (std::size_t at = 0; at < table.size(); ++at) {
      table[at].weight = static_cast<std::uint32_t>(1 + random() % 4);
      table[at].in_flight = static_cast<std::uint32_t>(random() % 6);
    }
    const auto best = least_busy(table, random());
    for (std::size_t at = 0; at < table.size(); ++at)
      EXPECT_GE(table[at].in_flight * table[best].weight, table[best].in_flight * table[at].weight);
  }
}

}  // namespace
}  // namespace headgate::balance
