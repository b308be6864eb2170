#include "headgate/core/pooled_memory.hpp"

#include <gtest/gtest.h>

namespace headgate {
namespace {

TEST(PooledMemory, KeepsTheBytesOfWhatGrowsBeyondThePool) {
  PooledString text;
  std::string same;
  for (int i = 0; i < 10'000; ++i) {
    text += static_cast<char>('a' + i % 26);
    same += static_cast<char>('a' + i % 26);
  }
  EXPECT_EQ(std::string_view(text), same);
  PooledString other;
  std::swap(text, other);
  EXPECT_EQ(std::string_view(other), same);
  EXPECT_TRUE(text.empty());
}

TEST(PooledMemory, HoldsAnyKindOfThing) {
  PooledVector<std::string> words;
  for (int i = 0; i < 1'000; ++i) words.push_back(std::to_string(i) + " is a number of more than a few letters");
  EXPECT_EQ(words.front(), "0 is a number of more than a few letters");
  EXPECT_EQ(words.back(), "999 is a number of more than a few letters");
}

}  // namespace
}  // namespace headgate
