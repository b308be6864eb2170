#include "../../../src/limit/key_table.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::limit {
namespace {

using test::kStart;

Hash hash_of(std::uint64_t number) { return keyed_hash({reinterpret_cast<const char*>(&number), sizeof number}, 0); }

/// Puts `number` in, full `ahead` from the start.
Slot& put(KeyTable& table, std::uint64_t number, Duration ahead, bool spent = false) {
  Slot& slot = table.insert(hash_of(number), kStart);
  slot.full_at = kStart + ahead;
  slot.state.numbers[0] = static_cast<std::int64_t>(number);
  table.set_spent(slot, spent);
  return slot;
}

bool holds(KeyTable& table, std::uint64_t number) { return table.find(hash_of(number)) != nullptr; }

TEST(KeyTable, FindsWhatItHoldsThroughAnyNumberOfForgettings) {
  // Small and always full, so that runs are long and every gap that is closed moves others.
  KeyTable table(64);
  std::mt19937_64 random(1);
  std::size_t found = 0;
  for (std::uint64_t round = 0; round < 50'000; ++round) {
    const std::uint64_t number = random() % 200;
    Slot* slot = table.find(hash_of(number));
    if (slot != nullptr) {
      ++found;
      ASSERT_EQ(slot->state.numbers[0], static_cast<std::int64_t>(number));
      ASSERT_EQ(slot->hash, hash_of(number));
    } else {
      put(table, number, std::chrono::seconds(random() % 1000) - std::chrono::seconds(100));
    }
    ASSERT_LE(table.size(), 64U);
    if (round % 100 != 0) continue;
    std::size_t held = 0;
    for (std::uint64_t other = 0; other < 200; ++other) held += holds(table, other) ? 1 : 0;
    ASSERT_EQ(held, table.size());
  }
  EXPECT_GT(found, 1000U);
  EXPECT_GT(table.evicted(), 1000U);
}

TEST(KeyTable, ForgetsAFullCounterFirstAndCountsItNot) {
  KeyTable table(10);
  for (std::uint64_t i = 0; i < 9; ++i) put(table, i, std::chrono::hours(1));
  put(table, 9, Duration(0));
  put(table, 10, std::chrono::hours(1));
  EXPECT_FALSE(holds(table, 9));
  EXPECT_EQ(table.size(), 10U);
  EXPECT_EQ(table.evicted(), 0U);
}

TEST(KeyTable, ForgetsTheOneFullAgainTheSoonestWhereNoneIsFull) {
  KeyTable table(10);
  for (std::uint64_t i = 0; i < 10; ++i) put(table, i, std::chrono::seconds(100 - i));
  put(table, 10, std::chrono::hours(1));
  EXPECT_FALSE(holds(table, 9));
  put(table, 11, std::chrono::hours(1));
  EXPECT_FALSE(holds(table, 8));
  EXPECT_EQ(table.evicted(), 2U);
}

TEST(KeyTable, ForgetsASpentCounterOnlyWhereAllAreSpent) {
  KeyTable table(10);
  for (std::uint64_t i = 0; i < 9; ++i) put(table, i, Duration(1 + i), true);
  put(table, 9, std::chrono::hours(1));
  put(table, 10, std::chrono::hours(1), true);
  EXPECT_FALSE(holds(table, 9));
  put(table, 11, std::chrono::hours(1), true);
  EXPECT_FALSE(holds(table, 0));
}

TEST(KeyTable, HoldsOneCounterWhereItMayHoldNoMore) {
  KeyTable table(1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    put(table, i, std::chrono::hours(1));
    EXPECT_TRUE(holds(table, i));
  }
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.evicted(), 99U);
}

TEST(KeyTable, FreesWhatItsCountersOwn) {  // the leak checker is the judge
  KeyTable table(4);
  for (std::uint64_t i = 0; i < 50; ++i)
    put(table, i, std::chrono::hours(1)).state.log = std::make_unique<std::vector<std::int64_t>>(10);
  EXPECT_EQ(table.size(), 4U);
}

}  // namespace
}  // namespace headgate::limit
