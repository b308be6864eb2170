// What a limit in shards allows, on a virtual clock: never more than the limit, and how much less.

#include "headgate/limit/shards.hpp"

#include "support/rules.hpp"
#include "support/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using test::kStart;
using test::make_rule;

TEST(Shards, HaveThePartsOfALimit) {
  const auto rule = make_rule("1000/second", 160);
  const auto part = one_shard({&rule, 1}, 8).front();
  EXPECT_EQ(part.burst, 20U);
  EXPECT_EQ(part.rate.count * 8 * (1s / part.rate.period), 1000U);
  EXPECT_EQ(part.suffix, rule.suffix) << "a limit that changes keeps what was used";
  EXPECT_EQ(one_shard({&rule, 1}, 1).front().burst, rule.burst);
}

TEST(Shards, NeverHaveMoreThanTheLimitTogether) {
  for (const auto* algorithm : algorithms()) {
    for (const auto* rate : {"1/second", "7/second", "100/minute", "999/5m", "64/hour", "1000000/hour"}) {
      for (std::uint32_t wanted = 2; wanted <= kMaxShards; ++wanted) {
        const auto rule = make_rule(rate, 0, "plan", algorithm->name);
        if (algorithm->check(rule)) continue;  // the log keeps no million requests
        const auto shards = shards_of({&rule, 1}, wanted);
        ASSERT_LE(shards, wanted);
        const auto part = one_shard({&rule, 1}, shards).front();
        EXPECT_LE(part.burst * shards, rule.burst) << algorithm->name << ' ' << rate << ' ' << shards;
        EXPECT_LE(part.rate.count * shards * static_cast<std::uint64_t>(rule.rate.period.count()),
                  rule.rate.count * static_cast<std::uint64_t>(part.rate.period.count()))
            << algorithm->name << ' ' << rate << ' ' << shards;
        EXPECT_FALSE(part.algorithm->check(part)) << algorithm->name << ' ' << rate << ' ' << shards;
      }
    }
  }
}

TEST(Shards, AreFewerIfALimitIsTooSmall) {
  const auto small = make_rule("5/minute");
  EXPECT_EQ(shards_of({&small, 1}, 8), 5U);
  const auto one = make_rule("1/minute");
  EXPECT_EQ(shards_of({&one, 1}, 8), 1U);
  const auto window = make_rule("3/minute", 0, "plan", "sliding_window");
  EXPECT_EQ(shards_of({&window, 1}, 8), 3U);
  EXPECT_EQ(lost_in_shards(make_rule("100/second"), 8), 4U);
  EXPECT_EQ(lost_in_shards(make_rule("100/second"), 10), 0U);
}

TEST(Shards, OfEachKeyAreUsedInTurn) {
  ShardTurns turns(1);
  std::map<std::uint32_t, int> uses;
  for (int i = 0; i < 80; ++i) {
    ++uses[turns.next({.low = 5}, 8)];
    turns.next({.low = 6}, 8);  // the requests of another key come between
  }
  ASSERT_EQ(uses.size(), 8U);
  for (const auto& [shard, times] : uses) EXPECT_EQ(times, 10) << shard;
  EXPECT_EQ(uses.begin()->first, 1U);
  EXPECT_EQ(uses.rbegin()->first, 8U);
}

/// Gateways that ask as gateway/limits/shards does: the shard whose turn it is, and on a rejection one more, or all
/// others if it is no bucket. They pass over shards that are known to reject.
class Gateways {
 public:
  Gateways(const Rule& rule, std::uint32_t shards, std::size_t count)
      : part_(one_shard({&rule, 1}, shards).front()), shards_(shards), states_(shards) {
    for (std::size_t i = 0; i < count; ++i) gateways_.push_back({ShardTurns(i), std::vector<Instant>(shards)});
  }

  bool admits(std::size_t number, Instant now) {
    auto& gateway = gateways_[number % gateways_.size()];
    auto shard = gateway.turns.next({}, shards_);
    std::uint32_t calls = 0;
    const std::uint32_t most = part_.algorithm->even ? 2 : shards_;
    for (std::uint32_t tries = 0; tries < shards_ && calls < most; ++tries, shard = shard_after(shard, shards_)) {
      auto& known = gateway.rejects_until[shard - 1];
      if (known > now) continue;
      ++calls;
      if (test::admit(states_[shard - 1], part_, now)) return calls_ += calls, true;
      known = now + std::min<Duration>(wait(states_[shard - 1], now), 1s);
    }
    calls_ += calls;
    return false;
  }

  std::uint64_t calls() const noexcept { return calls_; }

 private:
  struct Gateway {
    ShardTurns turns;
    std::vector<Instant> rejects_until;
  };

  Duration wait(const State& state, Instant now) const {
    const auto& algorithm = *part_.algorithm;
    const auto outcome = algorithm.peek(state, part_, 1, now);
    return algorithm.decision(part_, 1, CommitMode::none, {outcome.words.data(), algorithm.words})->retry_after;
  }

  Rule part_;
  std::uint32_t shards_;
  std::vector<State> states_;
  std::vector<Gateway> gateways_;
  std::uint64_t calls_ = 0;
};

struct Granted {
  double share = 0;  ///< of what the undivided limit grants
  double calls = 0;  ///< to Redis, for each request
};

Granted granted(const Rule& rule, std::uint32_t shards, const test::Traffic& traffic) {
  Gateways gateways(rule, shards, 4);
  State whole;
  double exact = 0;
  double passed = 0;
  std::mt19937_64 random(9);
  for (const auto& arrival : traffic) {
    const auto now = kStart + arrival.at;
    if (test::admit(whole, rule, now)) ++exact;
    if (gateways.admits(random(), now)) ++passed;
  }
  return {passed / exact, static_cast<double>(gateways.calls()) / static_cast<double>(traffic.size())};
}

/// The share of a limit that shards grant, as docs/limits_in_redis.md says: the smallest share of three loads around
/// saturation.
TEST(Shards, GrantTheStatedShareOfALimit) {
  struct Row {
    const char* algorithm;
    const char* rate;
    std::uint64_t burst;
    std::array<double, 4> least;  ///< for 2, 4, 8, 16 shards
  };
  const Row rows[] = {{"token_bucket", "1000/second", 1000, {0.99, 0.99, 0.99, 0.99}},
                      {"token_bucket", "1000/second", 100, {0.99, 0.99, 0.99, 0.97}},
                      {"sliding_window", "1000/second", 1000, {0.99, 0.99, 0.99, 0.97}},
                      {"fixed_window", "1000/second", 1000, {0.99, 0.99, 0.99, 0.99}}};
  for (const auto& row : rows) {
    const auto rule = make_rule(row.rate, row.burst, "plan", row.algorithm);
    std::size_t at = 0;
    for (const std::uint32_t shards : {2, 4, 8, 16}) {
      std::string seen;
      for (const double load : {1.0, 1.2, 2.0}) {
        const auto [share, calls] = granted(rule, shards, test::uniform_traffic(1000 * load, 20s, 5));
        EXPECT_GE(share, row.least[at]) << row.algorithm << ' ' << row.burst << " in " << shards << " at " << load;
        seen += std::to_string(share) + " (" + std::to_string(calls) + ") ";
      }
      const auto burst = test::bursty_traffic(static_cast<std::uint32_t>(row.burst), 20ms, 2s, 40s, 5);
      const auto [share, calls] = granted(rule, shards, burst);
      EXPECT_GE(share, row.least[at]) << row.algorithm << ' ' << row.burst << " in " << shards << ", bursts";
      seen += std::to_string(share) + " (" + std::to_string(calls) + ")";
      RecordProperty(std::string(row.algorithm) + std::to_string(row.burst) + "_" + std::to_string(shards), seen);
      ++at;
    }
  }
}

}  // namespace
}  // namespace headgate::limit
