#include "../../../src/limit/key_table.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::limit {
namespace {

using test::kStart;

Hash hash_of(std::uint64_t number) { return keyed_hash({reinterpret_cast<const char*>(&number), sizeof number}, 0); }

/// Inserts `number`, full again `ahead` after the start.
CounterSlot& put(KeyTable& table, std::uint64_t number, Duration ahead, bool spent = false) {
  CounterSlot& slot = table.insert(hash_of(number), 0, kStart);
  slot.state.numbers[0] = static_cast<std::int64_t>(number);
  table.note(slot, kStart + ahead, spent);
  return slot;
}

bool holds(KeyTable& table, std::uint64_t number) { return table.find(hash_of(number)) != nullptr; }

TEST(KeyTable, FindsItsKeysAfterAnyNumberOfEvictions) {
  // Small and always full: runs are long, and each gap that is closed moves other slots.
  KeyTable table(64);
  std::mt19937_64 random(1);
  std::size_t found = 0;
  for (std::uint64_t round = 0; round < 50'000; ++round) {
    const std::uint64_t number = random() % 200;
    CounterSlot* slot = table.find(hash_of(number));
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

TEST(KeyTable, KnowsWhereNearlyAllCountersAreWithoutALookAtThem) {
  constexpr std::uint64_t kKeys = 1000;
  KeyTable table(kKeys);
  EXPECT_EQ(table.place_of(hash_of(0)), nullptr);
  for (std::uint64_t number = 0; number < kKeys; ++number) put(table, number, std::chrono::seconds(1));
  std::uint64_t right = 0;
  for (std::uint64_t number = 0; number < kKeys; ++number)
    right += table.place_of(hash_of(number)) == table.find(hash_of(number)) ? 1 : 0;
  EXPECT_GT(right, kKeys * 95 / 100);
}

TEST(KeyTable, EvictsAFullCounterFirstAndDoesNotCountIt) {
  KeyTable table(10);
  for (std::uint64_t i = 0; i < 9; ++i) put(table, i, std::chrono::hours(1));
  put(table, 9, Duration(0));
  put(table, 10, std::chrono::hours(1));
  EXPECT_FALSE(holds(table, 9));
  EXPECT_EQ(table.size(), 10U);
  EXPECT_EQ(table.evicted(), 0U);
}

TEST(KeyTable, EvictsTheCounterThatIsFullSoonest) {
  KeyTable table(10);
  for (std::uint64_t i = 0; i < 10; ++i) put(table, i, std::chrono::seconds(100 - i));
  put(table, 10, std::chrono::hours(1));
  EXPECT_FALSE(holds(table, 9));
  put(table, 11, std::chrono::hours(1));
  EXPECT_FALSE(holds(table, 8));
  EXPECT_EQ(table.evicted(), 2U);
}

TEST(KeyTable, EvictsASpentCounterOnlyIfAllAreSpent) {
  KeyTable table(10);
  for (std::uint64_t i = 0; i < 9; ++i) put(table, i, Duration(1 + i), true);
  put(table, 9, std::chrono::hours(1));
  put(table, 10, std::chrono::hours(1), true);
  EXPECT_FALSE(holds(table, 9));
  put(table, 11, std::chrono::hours(1), true);
  EXPECT_FALSE(holds(table, 0));
}

TEST(KeyTable, EvictsEveryFullCounterBeforeOneThatIsNot) {
  // A few full counters among many: each is found, wherever it is.
  constexpr std::uint64_t kKeys = 4096;
  KeyTable table(kKeys);
  for (std::uint64_t i = 0; i < kKeys; ++i)
    put(table, i, i % 64 == 0 ? Duration(0) : std::chrono::hours(1), i % 3 == 0);
  for (std::uint64_t i = 0; i < kKeys / 64; ++i) put(table, kKeys + i, std::chrono::hours(1));
  EXPECT_EQ(table.evicted(), 0U);
  for (std::uint64_t i = 0; i < kKeys; ++i) EXPECT_EQ(holds(table, i), i % 64 != 0);
  put(table, 2 * kKeys, std::chrono::hours(1));
  EXPECT_EQ(table.evicted(), 1U);
}

TEST(KeyTable, KeepsEverySpentCounterWhileOneIsNot) {
  constexpr std::uint64_t kKeys = 4096;
  KeyTable table(kKeys);
  // The spent counters are full again sooner, and the other one was used since its insert.
  for (std::uint64_t i = 0; i < kKeys - 1; ++i) put(table, i, std::chrono::seconds(1), true);
  put(table, kKeys, std::chrono::seconds(2));
  for (std::uint64_t flood = 0; flood < 1000; ++flood) {
    CounterSlot* slot = table.find(hash_of(kKeys + flood));
    ASSERT_NE(slot, nullptr);
    table.note(*slot, kStart + std::chrono::hours(1), false);
    put(table, kKeys + flood + 1, std::chrono::hours(1));
    ASSERT_FALSE(holds(table, kKeys + flood));
  }
  for (std::uint64_t i = 0; i < kKeys - 1; ++i) EXPECT_TRUE(holds(table, i));
}

TEST(KeyTable, SeesThatACounterWasUsedAfterItsInsert) {
  KeyTable table(10);
  for (std::uint64_t i = 0; i < 10; ++i) put(table, i, std::chrono::seconds(10 + i));
  for (std::uint64_t i = 0; i < 9; ++i) table.note(*table.find(hash_of(i)), kStart + std::chrono::hours(1), i % 2 == 0);
  put(table, 10, std::chrono::hours(2));
  EXPECT_FALSE(holds(table, 9));
  table.note(*table.find(hash_of(3)), kStart + std::chrono::seconds(5), false);  // given back
  put(table, 11, std::chrono::hours(2));
  EXPECT_FALSE(holds(table, 3));
}

TEST(KeyTable, ChecksFewSlotsHoweverManyWereUsedSinceTheLastInsert) {
  constexpr std::uint64_t kKeys = 16'384;
  KeyTable table(kKeys);
  for (std::uint64_t i = 0; i < kKeys; ++i) put(table, i, std::chrono::seconds(1 + i % 100), i % 2 == 0);
  for (std::uint64_t i = 0; i < kKeys; ++i)
    table.note(*table.find(hash_of(i)), kStart + std::chrono::hours(1), i % 2 == 0);
  for (std::uint64_t i = 0; i < kKeys / 4; ++i) put(table, kKeys + i, std::chrono::hours(2));
  for (std::uint64_t i = 0; i < kKeys; i += 2) ASSERT_TRUE(holds(table, i)) << "spent";
  EXPECT_LE(table.longest_walk(), 500U) << "the longest run of an index that is 67 % full";
}

TEST(KeyTable, RanksByAnyClock) {
  for (const Duration jump : {Duration(std::chrono::hours(24) * 1000), -Duration(std::chrono::hours(24) * 1000)}) {
    KeyTable table(10);
    for (std::uint64_t i = 0; i < 10; ++i) put(table, i, jump + std::chrono::seconds(10 + i));
    const Instant later = kStart + jump;
    for (std::uint64_t i = 0; i < 10; ++i) {
      CounterSlot& slot = table.insert(hash_of(10 + i), 0, later);
      table.note(slot, later + std::chrono::hours(1), false);
      EXPECT_FALSE(holds(table, i));
    }
    EXPECT_EQ(table.evicted(), 10U);
  }
}

TEST(KeyTable, CountsEachLimitSeparately) {
  KeyTable table(4);
  for (std::uint64_t i = 0; i < 8; ++i) {
    CounterSlot& slot = table.insert(hash_of(i), i < 6 ? 0 : 2, kStart);
    table.note(slot, i < 3 ? kStart : kStart + std::chrono::hours(1 + i), false);
  }
  ASSERT_EQ(table.counts().size(), 3U);  // 0 to 2 were full, 3 was not, 4 to 7 are there
  EXPECT_EQ(table.counts()[0].tracked, 2U);
  EXPECT_EQ(table.counts()[0].evicted, 1U);
  EXPECT_EQ(table.counts()[1].tracked, 0U);
  EXPECT_EQ(table.counts()[2].tracked, 2U);
  EXPECT_EQ(table.counts()[2].evicted, 0U);
}

TEST(KeyTable, HoldsOneCounterIfItsMaximumIsOne) {
  KeyTable table(1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    put(table, i, std::chrono::hours(1));
    EXPECT_TRUE(holds(table, i));
  }
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.evicted(), 99U);
}

TEST(KeyTable, FreesTheMemoryOfItsCounters) {  // the leak checker is the judge
  KeyTable table(4);
  for (std::uint64_t i = 0; i < 50; ++i)
    put(table, i, std::chrono::hours(1)).state.log = std::make_unique<std::vector<std::int64_t>>(10);
  EXPECT_EQ(table.size(), 4U);
}

TEST(KeyTable, CountsAKeyByItsFirstCounterAlone) {
  KeyTable table(2);
  const auto add = [&table](std::uint64_t number, bool first, Instant now) {
    CounterSlot& slot = table.insert(hash_of(number), 0, now, first);
    table.note(slot, kStart + std::chrono::seconds(1), false);
  };
  add(0, true, kStart);
  add(1, false, kStart);
  EXPECT_EQ(table.counts()[0].tracked, 2U);
  EXPECT_EQ(table.counts()[0].keys, 1U);
  const auto later = kStart + std::chrono::hours(1);
  add(2, false, later);
  add(3, false, later);
  EXPECT_EQ(table.counts()[0].tracked, 2U);
  EXPECT_EQ(table.counts()[0].keys, 0U) << "it was evicted";
}

}  // namespace
}  // namespace headgate::limit
