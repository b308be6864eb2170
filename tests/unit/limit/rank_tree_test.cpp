#include "../../../src/limit/rank_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace headgate::limit {
namespace {

using Rank = RankTree::Rank;

TEST(RankTree, KnowsTheHighestAfterAnyChange) {
  std::mt19937_64 random(7);
  for (const std::size_t places : {1UL, 2UL, 16UL, 17UL, 256UL, 5000UL}) {
    RankTree tree(places);
    std::vector<Rank> ranks(places, 0);
    for (int round = 0; round < 1000; ++round) {
      const std::size_t place = random() % places;
      ranks[place] = random() % 4 == 0 ? 0 : static_cast<Rank>(random() >> 1U);
      tree.set(place, ranks[place]);
      const auto low = [](Rank rank) { return rank & (RankTree::kHigh - 1); };
      const Rank highest = *std::ranges::max_element(ranks);
      const Rank highest_low = low(*std::ranges::max_element(ranks, {}, low));
      ASSERT_EQ(tree.highest(), highest);
      ASSERT_EQ(tree.highest_low(), highest_low);
      if (highest != 0) {
        ASSERT_EQ(ranks[tree.first()], highest);
      }
      if (highest_low != 0) {
        ASSERT_EQ(low(ranks[tree.first_by_low()]), highest_low);
      }
    }
  }
}

}  // namespace
}  // namespace headgate::limit
