// What every policy promises, on thousands of tables that nobody would think of.

#include "headgate/balance/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace headgate::balance {
namespace {

constexpr int kTables = 3000;
constexpr std::int64_t kNow = 1'000'000'000'000;

/// A table, and a question about it.
struct Case {
  explicit Case(std::uint64_t seed) : random(seed), table(1 + random() % (one_in(4) ? 40 : 5)) {
    const bool outs = one_in(2);
    const bool backups = one_in(3);
    const bool starts = one_in(3);
    const bool plain = one_in(3);
    if (starts) table.slow_start(std::chrono::seconds(10));
    for (std::size_t at = 0; at < table.size(); ++at) {
      auto& server = table[at];
      if (outs && one_in(2)) server.out = static_cast<std::uint8_t>(random() % 16);
      server.backup = backups && one_in(2);
      server.weight = one_in(2) || plain ? 1 : static_cast<std::uint32_t>(1 + random() % kMaxWeight);
      server.in_flight = static_cast<std::uint32_t>(random() % (one_in(2) ? 3 : 300));
      server.latency = Duration(static_cast<Duration::rep>(random() % 100'000));
      server.measured = kNow - static_cast<std::int64_t>(random() % 40'000'000'000);
      server.hash = random();
      if (starts && one_in(2)) server.since = kNow - static_cast<std::int64_t>(random() % 12'000'000'000);
      if (one_in(5)) choice.tried.add(at);
    }
    if (one_in(2)) choice.key = random();
    table.note_shares();
    ask = {.turn = random(), .seed = random(), .now = kNow, .choice = &choice};
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  bool one_in(std::uint64_t of) { return random() % of == 0; }

  std::vector<std::size_t> those(std::uint8_t ignored, bool backup, bool tried_too = false) const {
    std::vector<std::size_t> out;
    for (std::size_t at = 0; at < table.size(); ++at)
      if ((table[at].out & ~ignored) == 0 && table[at].backup == backup && (tried_too || !choice.tried.has(at)))
        out.push_back(at);
    return out;
  }
  /// The servers that may be chosen, as the documentation says.
  std::vector<std::size_t> allowed() const {
    for (const bool backup : {false, true})
      if (auto out = those(0, backup); !out.empty()) return out;
    if (!those(0, false, true).empty() || !those(0, true, true).empty()) return {};
    for (const bool backup : {false, true})
      if (auto out = those(kGuessed, backup); !out.empty()) return out;
    return {};
  }

  std::mt19937_64 random;
  Table table;
  Choice choice;
  PickArgs ask;
};

class RandomTables : public testing::TestWithParam<const Policy*> {};

TEST_P(RandomTables, AServerThatIsOutIsNeverChosenWhileOneIsIn) {
  int none = 0;
  for (std::uint64_t seed = 0; seed < kTables; ++seed) {
    const Case one(seed);
    const auto allowed = one.allowed();
    const auto at = GetParam()->choose(one.table, one.ask);
    ASSERT_EQ(at.has_value(), !allowed.empty()) << seed;
    if (at) {
      ASSERT_TRUE(std::find(allowed.begin(), allowed.end(), *at) != allowed.end()) << seed << " chose " << *at;
    }
    none += at ? 0 : 1;
  }
  EXPECT_GT(none, 50) << "the tables are too kind";
}

TEST_P(RandomTables, TheSameQuestionHasTheSameAnswer) {
  for (std::uint64_t seed = 0; seed < kTables; ++seed) {
    const Case one(seed);
    ASSERT_EQ(GetParam()->choose(one.table, one.ask), GetParam()->choose(one.table, one.ask)) << seed;
  }
}

TEST_P(RandomTables, EveryServerThatMayBeChosenIsTriedInTheEnd) {
  for (std::uint64_t seed = 0; seed < kTables / 4; ++seed) {
    Case one(seed);
    one.choice.tried.clear();
    std::size_t left = one.those(0, false).size() + one.those(0, true).size();
    if (left == 0) left = one.those(kGuessed, false).size() + one.those(kGuessed, true).size();
    while (const auto at = GetParam()->choose(one.table, one.ask)) {
      ASSERT_FALSE(one.choice.tried.has(*at)) << seed;
      one.choice.tried.add(*at);
      ++one.ask.turn;
      --left;
    }
    EXPECT_EQ(left, 0U) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomTables, testing::ValuesIn(policies().begin(), policies().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace headgate::balance
