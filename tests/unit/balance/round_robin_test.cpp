#include "headgate/balance/policy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace headgate::balance {
namespace {

/// The servers of the first `turns` choices, one letter each; "-" for none.
std::string choices(Table& table, std::uint64_t turns) {
  std::string out;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const auto at = round_robin(table.servers(), {turn, {}});
    out += at ? static_cast<char>('a' + *at) : '-';
  }
  return out;
}

TEST(RoundRobin, TakesOneAfterTheOther) {
  Table table(3);
  EXPECT_EQ(choices(table, 7), "abcabca");
}

TEST(RoundRobin, HasOneServerAlways) {
  Table table(1);
  EXPECT_EQ(choices(table, 3), "aaa");
}

TEST(RoundRobin, SharesTheTurnsOfADownServerAmongTheOthers) {
  Table table(3);
  table[1].state = State::down;
  EXPECT_EQ(choices(table, 6), "acacac") << "and not all of it to the one behind it";
  table[1].state = State::up;
  EXPECT_EQ(choices(table, 3), "abc");
}

TEST(RoundRobin, TriesDownServersIfAllAreDown) {
  Table table(2);
  table[0].state = table[1].state = State::down;
  EXPECT_EQ(choices(table, 4), "abab");
}

TEST(RoundRobin, GivesTurnsByWeightAndSpreadsThem) {
  Table table(3);
  table[0].weight = 3;
  table[2].weight = 2;
  EXPECT_EQ(choices(table, 12), "abcacaabcaca");
}

TEST(RoundRobin, TriesEachServerOnce) {
  Table table(3);
  std::array<bool, 3> tried{};
  std::string order;
  for (std::uint64_t turn = 1;; ++turn) {
    const auto at = round_robin(table.servers(), {turn, tried});
    if (!at) break;
    tried[*at] = true;
    order += static_cast<char>('a' + *at);
  }
  EXPECT_EQ(order, "bca");
}

TEST(Latency, IsAMovingAverage) {
  Server server;
  note_latency(server, Duration(800));
  EXPECT_EQ(server.latency, Duration(800)) << "the first is all that is known";
  note_latency(server, Duration(1600));
  EXPECT_EQ(server.latency, Duration(900));
  for (int i = 0; i < 100; ++i) note_latency(server, Duration(100));
  EXPECT_NEAR(static_cast<double>(server.latency.count()), 100, 8);
}

}  // namespace
}  // namespace headgate::balance
