// Shares of a split: exact within chance, and stable where weights change.

#include "../../../../src/gateway/steps/split.hpp"

#include "headgate/core/hash.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace headgate::gateway {
namespace {

std::vector<SplitShare> shares_of(const std::vector<std::uint32_t>& weights) {
  std::vector<SplitShare> out;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto& share = out.emplace_back();
    share.upstream = "upstream-" + std::to_string(i);
    share.weight = weights[i];
    share.seed = stable_hash(share.upstream);
  }
  return out;
}

std::string key(int number) { return "192.0." + std::to_string(number / 256) + '.' + std::to_string(number % 256); }

/// Fails unless `count` of `all` is the share weight/sum, within five standard deviations.
void expect_share(double count, double all, double weight, double sum) {
  const double share = weight / sum;
  EXPECT_NEAR(count, all * share, 5 * std::sqrt(all * share * (1 - share)) + 1) << weight << " of " << sum;
}

TEST(Split, EachShareGetsItsPartOfTheKeys) {
  constexpr int kKeys = 40'000;
  for (const std::vector<std::uint32_t>& weights :
       {std::vector<std::uint32_t>{95, 5}, {1, 1}, {1, 2, 3, 4}, {999'999, 1}, {0, 1}, {1'000'000, 1'000'000, 0}}) {
    const auto shares = shares_of(weights);
    std::map<std::size_t, int> met;
    for (int i = 0; i < kKeys; ++i) ++met[share_of_key(shares, key(i))];
    double sum = 0;
    for (const auto weight : weights) sum += weight;
    for (std::size_t i = 0; i < weights.size(); ++i) expect_share(met[i], kKeys, weights[i], sum);
  }
}

TEST(Split, EachShareGetsItsPartByChance) {
  constexpr int kRequests = 40'000;
  std::mt19937_64 random(1);
  for (const std::vector<std::uint32_t>& weights : {std::vector<std::uint32_t>{95, 5}, {1, 0, 3}, {0, 0, 1}}) {
    const auto shares = shares_of(weights);
    std::map<std::size_t, int> met;
    for (int i = 0; i < kRequests; ++i) ++met[share_by_chance(shares, random())];
    double sum = 0;
    for (const auto weight : weights) sum += weight;
    for (std::size_t i = 0; i < weights.size(); ++i) expect_share(met[i], kRequests, weights[i], sum);
  }
}

TEST(Split, AKeyStaysWhereItIsWhileItsShareGrows) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::uint32_t> weights(2 + random() % 4);
    for (auto& weight : weights) weight = 1 + static_cast<std::uint32_t>(random() % 100);
    const auto grows = random() % weights.size();
    const auto before = shares_of(weights);
    weights[grows] += 1 + static_cast<std::uint32_t>(random() % 100);
    const auto after = shares_of(weights);
    for (int i = 0; i < 2'000; ++i) {
      const auto was = share_of_key(before, key(i));
      const auto is = share_of_key(after, key(i));
      EXPECT_TRUE(is == was || is == grows) << "round " << round << ", key " << i;
    }
  }
}

TEST(Split, FromFiveToTenPercentKeepsEveryCanary) {
  const auto five = shares_of({95, 5});
  const auto ten = shares_of({90, 10});
  int canaries = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (share_of_key(five, key(i)) != 1) continue;
    ++canaries;
    EXPECT_EQ(share_of_key(ten, key(i)), 1U) << key(i);
  }
  EXPECT_GT(canaries, 500);
}

TEST(Split, ANewShareTakesKeysFromTheOthersAndMovesNoneBetweenThem) {
  const auto two = shares_of({60, 40});
  const auto three = shares_of({60, 40, 25});
  for (int i = 0; i < 5'000; ++i) {
    const auto is = share_of_key(three, key(i));
    EXPECT_TRUE(is == 2 || is == share_of_key(two, key(i))) << key(i);
  }
}

TEST(Split, TheOrderOfSharesChangesNothing) {
  auto shares = shares_of({95, 5});
  auto turned = shares;
  std::swap(turned[0], turned[1]);
  for (int i = 0; i < 2'000; ++i)
    EXPECT_EQ(shares[share_of_key(shares, key(i))].upstream, turned[share_of_key(turned, key(i))].upstream);
}

TEST(Split, IsTheSameInEveryGatewayAndVersion) {
  const auto shares = shares_of({1, 1, 1, 1});
  std::string chosen;
  for (int i = 0; i < 16; ++i) chosen += std::to_string(share_of_key(shares, key(i)));
  EXPECT_EQ(chosen, "2000110303122301") << "a change here moves visitors from one upstream to another";
}

}  // namespace
}  // namespace headgate::gateway
