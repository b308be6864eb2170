#include "headgate/net/block_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace headgate::net {
namespace {

TEST(BlockPool, LendsBlocksOfItsSize) {
  BlockPool pool(128, 2);
  const Block block = pool.lend();
  ASSERT_TRUE(block);
  EXPECT_EQ(block.size(), 128U);
  std::memset(block.data(), 'x', block.size());
}

TEST(BlockPool, LendsTheBlockThatCameBackLast) {
  BlockPool pool(128, 4);
  Block a = pool.lend(), b = pool.lend();
  const char* const first = a.data();
  const char* const second = b.data();
  EXPECT_NE(first, second);
  a.release();
  b.release();
  EXPECT_EQ(pool.lend().data(), second);
  Block c = pool.lend(), d = pool.lend();
  EXPECT_EQ(c.data(), second);
  EXPECT_EQ(d.data(), first);
}

TEST(BlockPool, KeepsNoMoreThanItsSpareBlocks) {
  BlockPool pool(64, 2);
  std::vector<Block> lent;
  for (int i = 0; i < 5; ++i) lent.push_back(pool.lend());
  const char* const kept[] = {lent[0].data(), lent[1].data()};
  for (auto& block : lent) block.release();
  Block a = pool.lend(), b = pool.lend();
  EXPECT_EQ(a.data(), kept[1]);
  EXPECT_EQ(b.data(), kept[0]);
}

TEST(BlockPool, NeverLendsOneBlockTwice) {
  BlockPool pool(64, 2);
  std::set<const char*> seen;
  std::vector<Block> lent;
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(seen.insert(lent.emplace_back(pool.lend()).data()).second);
}

TEST(Block, IsReleasedOnceHoweverOften) {
  BlockPool pool(64, 4);
  Block block = pool.lend();
  block.release();
  block.release();
  EXPECT_FALSE(block);
  EXPECT_EQ(block.size(), 0U);
  const Block a = pool.lend(), b = pool.lend();
  EXPECT_NE(a.data(), b.data());
}

TEST(Block, MovesWithItsBytes) {
  BlockPool pool(64, 4), other(32, 4);
  Block a = pool.lend();
  const char* const bytes = a.data();
  Block b = std::move(a);
  EXPECT_EQ(b.data(), bytes);
  Block c = other.lend();
  const char* const given_up = c.data();
  c = std::move(b);
  EXPECT_EQ(c.data(), bytes);
  EXPECT_EQ(c.size(), 64U);
  EXPECT_EQ(other.lend().data(), given_up) << "went home to its own pool";
  const Block none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.size(), 0U);
}

}  // namespace
}  // namespace headgate::net
