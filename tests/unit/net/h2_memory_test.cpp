#include "headgate/net/h2_memory.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace headgate::net
