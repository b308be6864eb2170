#include "headgate/core/hash.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace headgate {
namespace {

TEST(KeyedDigest, IsSipHash) {
  // The example of the paper's appendix A.
  std::string text;
  for (char byte = 0; byte < 15; ++byte) text += byte;
  const Hash key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(keyed_digest(text, key), 0xa129ca6149be45e5);
  EXPECT_EQ(keyed_digest("", key), 0x726fdb47dd0e0e31) << "of its reference program";
  EXPECT_EQ(keyed_digest(text.substr(0, 8), key), 0x93f5f5799a932462);
}

TEST(KeyedHash, IsTheSameForTheSameTextAndSeed) {
  EXPECT_EQ(keyed_hash("203.0.113.7", 1), keyed_hash(std::string("203.0.113.7"), 1));
  EXPECT_EQ(keyed_hash("", 0), keyed_hash(std::string_view(), 0));
}

TEST(KeyedHash, SeedsSetTheSameTextApart) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const Hash hash = keyed_hash("org_42", seed);
    EXPECT_TRUE(seen.emplace(hash.low, hash.high).second) << seed;
  }
}

TEST(KeyedHash, TellsTextsApartThatDifferInOneByteOrInLength) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (std::size_t length = 0; length < 300; ++length)
    for (char last : {'a', 'b', '\0'}) {
      const Hash hash = keyed_hash(std::string(length, 'x') + last, 7);
      EXPECT_TRUE(seen.emplace(hash.low, hash.high).second) << length;
    }
}

TEST(KeyedHash, FlipsAboutHalfOfItsBitsWhenOneBitOfTheTextChanges) {
  int flipped = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text = "subject-" + std::to_string(i);
    const Hash before = keyed_hash(text, 3);
    text[0] = static_cast<char>(text[0] ^ 1);
    const Hash after = keyed_hash(text, 3);
    flipped += std::popcount(before.low ^ after.low) + std::popcount(before.high ^ after.high);
  }
  EXPECT_NEAR(flipped / 1000.0, 64.0, 2.0);
}

TEST(KeyedHash, IsTheSameInEveryThread) {
  const Hash here = keyed_hash("x", 1);
  std::vector<std::thread> threads;
  std::vector<Hash> there(4);
  for (auto& hash : there) threads.emplace_back([&hash] { hash = keyed_hash("x", 1); });
  for (auto& thread : threads) thread.join();
  for (const auto& hash : there) EXPECT_EQ(hash, here);
}

TEST(StableHash, NeverChangesItsValues) {
  EXPECT_EQ(stable_hash(""), 0xef46db3751d8e999ULL);
  EXPECT_EQ(stable_hash("a"), 0xd24ec4f1a98c6e5bULL);
}

}  // namespace
}  // namespace headgate
