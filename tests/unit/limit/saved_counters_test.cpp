// Counters in memory that the next process takes over.

#include "support/rules.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(OfEachAlgorithm, SavedCounters,
                         testing::Values("token_bucket", "leaky_bucket", "fixed_window", "sliding_window",
                                         "sliding_log"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace headgate::limit
