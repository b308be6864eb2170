#include "headgate/balance/policy.hpp"
#include "headgate/core/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace headgate::balance {
namespace {

constexpr std::uint64_t kKeys = 10'000;

class ConsistentHash : public testing::Test {
 protected:
  explicit ConsistentHash(std::size_t servers = 8) : table_(servers) {
    for (std::size_t at = 0; at < servers; ++at) table_[at].hash = stable_hash("10.0.0." + std::to_string(at) + ":80");
  }
  static std::uint64_t key(std::uint64_t number) { return stable_hash("user-" + std::to_string(number)); }
  std::size_t chosen(std::uint64_t number, std::uint64_t turn = 0) const {
    Choice choice;
    choice.key = key(number);
    return *find_policy("consistent_hash")->choose(table_, {.turn = turn, .choice = &choice});
  }
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> out;
    for (std::uint64_t i = 0; i < kKeys; ++i) out.push_back(chosen(i));
    return out;
  }
  static double part(const std::vector<std::size_t>& places, std::size_t at) {
    return static_cast<double>(std::count(places.begin(), places.end(), at)) / static_cast<double>(places.size());
  }

  Table table_;
};

TEST_F(ConsistentHash, GivesAKeyTheSameServerEachTime) {
  for (std::uint64_t turn = 0; turn < 100; ++turn) EXPECT_EQ(chosen(5, turn), chosen(5));
}

TEST_F(ConsistentHash, SpreadsTheKeysByWeight) {
  table_[3].weight = 4;
  const auto places = all();
  for (std::size_t at = 0; at < 8; ++at) EXPECT_NEAR(part(places, at), at == 3 ? 4 / 11.0 : 1 / 11.0, 0.01) << at;
}

TEST_F(ConsistentHash, MovesOnlyTheKeysOfAServerThatLeaves) {
  const auto before = all();
  for (const auto why : {kUnhealthy, kEjected, kDrained, kDown}) {
    table_[2].out = why;
    const auto now = all();
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      if (before[i] != 2) {
        EXPECT_EQ(now[i], before[i]);
      }
      if (before[i] == 2) {
        EXPECT_NE(now[i], 2U);
      }
    }
    for (std::size_t at = 0; at < 8; ++at)
      if (at != 2) {
        EXPECT_NEAR(part(now, at), 1 / 7.0, 0.01) << "the others share them, and not one neighbour alone";
      }
  }
  table_[2].out = 0;
  EXPECT_EQ(all(), before) << "they come back";
}

TEST_F(ConsistentHash, MovesOnlyTheKeysThatAMovedWeightTakes) {
  const auto before = all();
  table_[5].weight = 2;
  const auto now = all();
  for (std::uint64_t i = 0; i < kKeys; ++i)
    if (now[i] != before[i]) {
      EXPECT_EQ(now[i], 5U);
    }
  EXPECT_NEAR(part(now, 5), 2 / 9.0, 0.01);
}

TEST_F(ConsistentHash, DependsOnTheNameAndNotOnThePlace) {
  const auto before = all();
  Table turned(8);
  for (std::size_t at = 0; at < 8; ++at) turned[at].hash = table_[7 - at].hash;
  std::swap(table_, turned);
  const auto now = all();
  for (std::uint64_t i = 0; i < kKeys; ++i) EXPECT_EQ(now[i], 7 - before[i]);
}

TEST_F(ConsistentHash, GivesARequestWithoutKeyTheLeastBusyServer) {
  for (std::size_t at = 0; at < 8; ++at) table_[at].in_flight = at == 6 ? 1 : 2;
  EXPECT_EQ(find_policy("consistent_hash")->choose(table_, {.turn = 3}), 6U);
}

TEST_F(ConsistentHash, SendsABusyServersKeysToTheirNextServer) {
  const auto home = chosen(1);
  table_[home].in_flight = 7;
  EXPECT_EQ(chosen(1), home) << "a few requests say nothing";
  table_[home].in_flight = 8;
  const auto next = chosen(1);
  EXPECT_NE(next, home);
  table_[home].out = kEjected;
  EXPECT_EQ(chosen(1), next) << "the same that it has without the first";
}

TEST_F(ConsistentHash, KeepsEveryServerBelowFiveFourthsOfItsShare) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 50; ++round) {
    double weights = 0;
    for (std::size_t at = 0; at < 8; ++at) {
      table_[at].in_flight = 0;
      table_[at].weight = static_cast<std::uint32_t>(1 + random() % 3);
      weights += table_[at].weight;
    }
    for (double requests = 1; requests <= 400; ++requests) {
      const auto at = chosen(random() % 2 == 0 ? 1 : random());  // half of the requests have one key
      add_in_flight(table_[at], 1);
      const auto most = std::max(8.0, std::ceil(1.25 * requests * table_[at].weight / weights));
      ASSERT_LE(table_[at].in_flight, most) << at << " with " << requests;
    }
  }
}

TEST_F(ConsistentHash, TakesKeysBackLittleByLittleInASlowStart) {
  const auto before = all();
  table_.slow_start(std::chrono::seconds(10));
  table_[1].since = 1'000'000'000'000;
  double last = 0;
  for (std::int64_t passed = 0; passed <= 10; ++passed) {
    std::vector<std::size_t> now;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      Choice choice;
      choice.key = key(i);
      now.push_back(*find_policy("consistent_hash")
                         ->choose(table_, {.now = 1'000'000'000'000 + passed * 1'000'000'000, .choice = &choice}));
      if (now[i] == 1) {
        EXPECT_EQ(before[i], 1U) << "only its own";
      }
    }
    EXPECT_GT(part(now, 1), last);
    if (passed == 0) {
      EXPECT_NEAR(part(now, 1), 0.1 / 7.1, 0.005);
    }
    last = part(now, 1);
  }
  EXPECT_EQ(last, part(before, 1));
}

}  // namespace
}  // namespace headgate::balance
