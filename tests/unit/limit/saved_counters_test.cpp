// Counters in memory that the next process takes over.

#include "support/rules.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace headgate::limit {
namespace {

const Instant kSavedStart = Instant(std::chrono::hours(24 * 365 * 50));

class SavedCounters : public testing::TestWithParam<std::string> {
 protected:
  Decision ask(MemoryStore& store, std::int64_t cost, Instant at) {
    const Check check{.rule = &rule, .key = "k", .hash = keyed_hash("k", rule.seed), .cost = cost};
    Decision out;
    store.decide({&check, 1}, at, {&out, 1});
    return out;
  }
  static std::vector<SavedCounter> saved(const MemoryStore& store, Instant at) {
    std::vector<SavedCounter> out;
    store.save(at, [&out](const SavedCounter& each) { out.push_back(each); });
    return out;
  }

  Rule rule = headgate::test::make_rule("10/hour", GetParam() == "leaky_bucket" ? 10 : 0, "plan", GetParam());
  MemoryStore before{{.max_keys = 100}};
  MemoryStore after{{.max_keys = 100}};
};

TEST_P(SavedCounters, DecideAsBeforeInTheNextProcess) {
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(ask(before, 1, kSavedStart).allowed);
  const auto told = saved(before, kSavedStart);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].limit, "plan");
  EXPECT_EQ(told[0].algorithm, GetParam());
  ASSERT_EQ(after.restore(told[0], kSavedStart), MemoryStore::Restored::yes);
  for (const auto later : {0, 600, 3000, 3700}) {
    const auto at = kSavedStart + std::chrono::seconds(later);
    const auto one = ask(before, 1, at);
    const auto other = ask(after, 1, at);
    EXPECT_EQ(one.allowed, other.allowed) << later;
    EXPECT_EQ(one.remaining, other.remaining) << later;
    EXPECT_EQ(one.reset_after, other.reset_after) << later;
  }
  EXPECT_EQ(after.keys_by_limit().at(0).keys, 1U);
}

TEST_P(SavedCounters, AreNotTakenInPlaceOfOneThatIsInUseAlready) {
  ask(before, 7, kSavedStart);
  ask(after, 9, kSavedStart);
  EXPECT_EQ(after.restore(saved(before, kSavedStart).at(0), kSavedStart), MemoryStore::Restored::known);
  EXPECT_EQ(ask(after, 0, kSavedStart).remaining, 1U);
}

TEST_P(SavedCounters, OfAnotherFormAreRefused) {
  ask(before, 7, kSavedStart);
  auto told = saved(before, kSavedStart).at(0);
  ++told.state_version;
  EXPECT_EQ(after.restore(told, kSavedStart), MemoryStore::Restored::unknown_algorithm);
  --told.state_version;
  told.algorithm = "next_years_bucket";
  EXPECT_EQ(after.restore(told, kSavedStart), MemoryStore::Restored::unknown_algorithm);
  EXPECT_EQ(ask(after, 0, kSavedStart).remaining, 10U);
}

TEST_P(SavedCounters, OfOneLimitAreForgottenTogether) {
  auto other = rule;
  other.limit = "other";
  name_rule(other, false, PeriodInKey::no);
  ask(before, 10, kSavedStart);
  const Check check{.rule = &other, .key = "k", .hash = keyed_hash("k", other.seed), .cost = 10};
  Decision out;
  before.decide({&check, 1}, kSavedStart, {&out, 1});
  ASSERT_FALSE(ask(before, 1, kSavedStart).allowed);
  EXPECT_EQ(before.forget("plan"), 1U);
  EXPECT_TRUE(ask(before, 1, kSavedStart).allowed);
  EXPECT_EQ(ask(before, 0, kSavedStart).remaining, 9U);
  before.decide({&check, 1}, kSavedStart, {&out, 1});
  EXPECT_FALSE(out.allowed) << "another limit";
}

TEST_P(SavedCounters, ThatAreFullAgainAreLeftOut) {
  ask(before, 7, kSavedStart);
  EXPECT_TRUE(saved(before, kSavedStart + std::chrono::hours(3)).empty());
}

/// Returns the numbers of the only counter of `rule` after `cost`, and moves the counter to `after`.
std::array<std::int64_t, 4> move(MemoryStore& after, const Rule& rule, std::int64_t cost) {
  MemoryStore before{{.max_keys = 100}};
  const Check check{.rule = &rule, .key = "k", .hash = keyed_hash("k", rule.seed), .cost = cost};
  Decision ignored;
  before.decide({&check, 1}, kSavedStart, {&ignored, 1});
  SavedCounter saved;
  before.save(kSavedStart, [&saved](const SavedCounter& each) { saved = each; });
  EXPECT_EQ(after.restore(saved, kSavedStart), MemoryStore::Restored::yes);
  return saved.numbers;
}

class SavedLargeCounters : public testing::TestWithParam<std::string> {};

TEST_P(SavedLargeCounters, LosePermitsToNoOne) {
  constexpr std::int64_t kMax = 10'000'000'000'000;
  const Rule rule = headgate::test::make_rule("10000000000000/hour", kMax, "plan", GetParam());
  for (const std::int64_t cost : {std::int64_t{1}, std::int64_t{1} << 32, kMax / 3, kMax}) {
    MemoryStore after{{.max_keys = 100}};
    move(after, rule, cost);
    const Check check{.rule = &rule, .key = "k", .hash = keyed_hash("k", rule.seed), .cost = 0};
    Decision decision;
    after.decide({&check, 1}, kSavedStart, {&decision, 1});
    EXPECT_EQ(decision.remaining, static_cast<std::uint64_t>(kMax - cost));
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachAlgorithm, SavedLargeCounters,
                         testing::Values("token_bucket", "leaky_bucket", "fixed_window", "sliding_window"),
                         [](const auto& test) { return test.param; });

// Earlier versions know only counts up to 10^9, and have no state_version of their own.
TEST(SavedSmallCounters, HaveTheFormOfEarlierVersions) {
  MemoryStore after{{.max_keys = 100}};
  const auto window = move(after, headgate::test::make_rule("1000000000/hour", 0, "a", "sliding_window"), 999'999'999);
  EXPECT_EQ(window[1], 999'999'999);
  EXPECT_EQ(window[3], 0);
  const auto bucket = move(after, headgate::test::make_rule("1000000000/7h", 0, "b"), 999'999'999);
  EXPECT_EQ(bucket[1] >> 32, 1'000'000'000);
  EXPECT_EQ(bucket[1] & 0xFFFFFFFF, 800'000'000);
  EXPECT_EQ(bucket[2], Duration(std::chrono::hours(7)).count());
  EXPECT_EQ(bucket[3], 25'199'999'974);
}

INSTANTIATE_TEST_SUITE_P(OfEachAlgorithm, SavedCounters,
                         testing::Values("token_bucket", "leaky_bucket", "fixed_window", "sliding_window",
                                         "sliding_log"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace headgate::limit
