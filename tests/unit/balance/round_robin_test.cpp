#include "headgate/balance/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headgate::balance {
namespace {

/// The servers of the first `turns` choices, one letter each; "-" for none.
std::string choices(Table& table, std::uint64_t turns) {
  std::string out;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const auto at = find_policy("round_robin")->choose(table, {.turn = turn, .choice = nullptr});
    out += at ? static_cast<char>('a' + *at) : '-';
  }
  return out;
}

TEST(RoundRobin, TakesOneAfterTheOther) {
  Table table(3);
  EXPECT_EQ(choices(table, 7), "abcabca");
  table.note_shares();
  EXPECT_EQ(choices(table, 7), "abcabca") << "the short way";
}

TEST(RoundRobin, HasOneServerAlways) {
  Table table(1);
  EXPECT_EQ(choices(table, 3), "aaa");
}

TEST(RoundRobin, SharesTheTurnsOfAServerThatIsOutAmongTheOthers) {
  Table table(3);
  table.note_shares();
  table[1].out = kUnhealthy;
  EXPECT_EQ(choices(table, 6), "acacac") << "and not all of it to the one behind it";
  table[1].out = 0;
  EXPECT_EQ(choices(table, 3), "abc");
}

TEST(RoundRobin, TriesServersThatAreOutIfAllAre) {
  Table table(2);
  table[0].out = table[1].out = kUnhealthy;
  EXPECT_EQ(choices(table, 4), "abab");
}

TEST(RoundRobin, GivesTurnsByWeightAndSpreadsThem) {
  Table table(3);
  table[0].weight = 3;
  table[2].weight = 2;
  const auto all = choices(table, 600);
  for (std::size_t begin = 0; begin + 60 <= all.size(); ++begin) {
    const auto some = all.substr(begin, 60);
    const auto times = [&some](char server) {
      return static_cast<double>(std::count(some.begin(), some.end(), server));
    };
    EXPECT_NEAR(times('a'), 30, 2) << begin;
    EXPECT_NEAR(times('b'), 10, 2) << begin;
    EXPECT_NEAR(times('c'), 20, 2) << begin;
  }
  EXPECT_EQ(all.find("aaa"), std::string::npos) << "half of the turns, and never three in a row";
  EXPECT_EQ(all.find("cc"), std::string::npos);
}

TEST(RoundRobin, TriesEachServerOnce) {
  Table table(3);
  Choice choice;
  std::string order;
  for (std::uint64_t turn = 1;; ++turn) {
    const auto at = find_policy("round_robin")->choose(table, {.turn = turn, .choice = &choice});
    if (!at) break;
    choice.tried.add(*at);
    order += static_cast<char>('a' + *at);
  }
  EXPECT_EQ(order, "bac") << "the turns of a server that was tried are shared among the others";
}

TEST(ServerSet, KnowsAnyNumberOfServers) {
  ServerSet tried;
  EXPECT_TRUE(tried.empty());
  tried.add(3);
  tried.add(1023);
  for (std::size_t at = 0; at < 2048; ++at) EXPECT_EQ(tried.has(at), at == 3 || at == 1023) << at;
  tried.clear();
  EXPECT_TRUE(tried.empty());
  EXPECT_FALSE(tried.has(3));
}

}  // namespace
}  // namespace headgate::balance
