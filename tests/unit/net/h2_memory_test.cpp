#include "headgate/net/h2_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace headgate::net {
namespace {

TEST(H2HeldTest, GivesBackWhatItCounts) {
  constexpr std::int64_t kMuch = 2 * LentBytes::kStep;
  LentBytes total;
  LentBytes::Share lent(&total);
  {
    H2Held held(&lent);
    held.is(kMuch);
    EXPECT_EQ(total.read(), static_cast<std::uint64_t>(kMuch));
    held.is(2 * kMuch);
    EXPECT_EQ(total.read(), static_cast<std::uint64_t>(2 * kMuch));
    H2Memory memory(&lent);
    auto* const calls = memory.functions();
    void* const before = calls->malloc(kMuch, calls->mem_user_data);
    EXPECT_EQ(total.read(), static_cast<std::uint64_t>(2 * kMuch)) << "what a new session has";
    memory.begin();
    void* at = calls->calloc(1, kMuch, calls->mem_user_data);
    at = calls->realloc(at, 2 * kMuch, calls->mem_user_data);
    EXPECT_GE(total.read(), static_cast<std::uint64_t>(4 * kMuch));
    calls->free(at, calls->mem_user_data);
    calls->free(before, calls->mem_user_data);
    calls->free(nullptr, calls->mem_user_data);
  }
  EXPECT_EQ(total.read(), 0U);
  H2Held nobody(nullptr);
  nobody.is(5);
}

TEST(H2MemoryTest, KeepsTheBytesOfWhatGrowsAndShrinks) {
  H2Memory memory(nullptr);
  auto* const calls = memory.functions();
  auto* const self = calls->mem_user_data;
  const std::string text = "of a frame that grows";
  auto* at = static_cast<char*>(calls->realloc(nullptr, text.size(), self));
  text.copy(at, text.size());
  for (const std::size_t size : {100UL, 5'000UL, 100'000UL, 4'000UL, 60UL, 21UL}) {
    at = static_cast<char*>(calls->realloc(at, size, self));
    EXPECT_EQ(std::string_view(at, text.size()), text) << size;
  }
  calls->free(at, self);
}

TEST(H2MemoryTest, GivesZerosWhereOtherBytesWereBefore) {
  H2Memory memory(nullptr);
  auto* const calls = memory.functions();
  auto* const self = calls->mem_user_data;
  constexpr std::size_t kSize = 300;
  void* const before = calls->malloc(kSize, self);
  std::memset(before, 0xff, kSize);
  calls->free(before, self);
  auto* const zeros = static_cast<char*>(calls->calloc(3, kSize / 3, self));
  EXPECT_TRUE(std::all_of(zeros, zeros + kSize, [](char c) { return c == 0; }));
  calls->free(zeros, self);
  EXPECT_EQ(calls->calloc(SIZE_MAX / 2, 3, self), nullptr) << "more than there is";
}

}  // namespace
}  // namespace headgate::net
