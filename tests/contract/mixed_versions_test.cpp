// Gateways of this version and of the version before distances use one bucket in Redis by turns, as in every upgrade.

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using limit::Check;
using limit::Decision;
using limit::Rule;

constexpr const char* kCaller = "203.0.113.9";

std::string script_before_distances() {
  std::ifstream file(std::string(HEADGATE_SOURCE_DIR) + "/tests/contract/before_distances.lua");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string padded(std::uint64_t number, std::size_t width) {
  const std::string text = std::to_string(number);
  return std::string(width - text.size(), '0') + text;
}

class MixedVersions : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    RedisServer* server = shared_redis(why);
    if (server == nullptr) GTEST_SKIP() << why;
    newer_ = std::make_unique<InRedis>(server->port());
    older_ = std::make_unique<InRedis>(server->port(), script_before_distances());
  }

  bool by_newer(const Rule& rule, std::int64_t cost, Instant now) {
    const Check check = make_check(rule, kCaller, cost);
    Decision decision;
    return newer_->decide({&check, 1}, now, {&decision, 1});
  }
  /// Calls the script with the arguments of the older version, in which a rate was a period and a count.
  bool by_older(const Rule& rule, std::int64_t cost, Instant now) {
    const Check check = make_check(rule, kCaller, cost);
    std::vector<std::string> arguments;
    limit::script_arguments({&check, 1}, "hg:", now, arguments);
    arguments.back() =
        padded(static_cast<std::uint64_t>(rule.rate.period.count()), 14) + padded(rule.rate.count % 1'000'000'000, 9);
    const auto reply = older_->call(arguments, now);
    return reply && reply->at(0) == 1;
  }

  std::string value(const Rule& rule) {
    return newer_->client().text({"GET", std::string("hg:v1:{") + kCaller + "}" + rule.suffix});
  }
  /// Returns the time until the counter is as if it had never been used.
  Duration locked(const Rule& rule, Instant now) {
    const std::string moment = value(rule);
    if (moment == "(nil)") return Duration(0);
    return Duration(std::stoll(moment) - now.time_since_epoch().count());
  }

  std::unique_ptr<InRedis> newer_;
  std::unique_ptr<InRedis> older_;
};

TEST_F(MixedVersions, KeepTheUseOfASizeWhoseTimesAreNoWholeMicroseconds) {
  const Rule large = make_rule("70/minute", 70);  // 857142 6/7 us
  const Rule small = make_rule("7/minute", 7);
  ASSERT_TRUE(by_newer(large, 5, kStart));
  EXPECT_TRUE(by_older(small, 2, kStart)) << value(large);
  EXPECT_LE(locked(large, kStart), 60s) << value(large);
  EXPECT_FALSE(by_older(small, 1, kStart));
  EXPECT_TRUE(by_newer(large, 63, kStart)) << value(large);
  EXPECT_FALSE(by_newer(large, 1, kStart)) << value(large);
  EXPECT_TRUE(by_newer(large, 70, kStart + 601s));
}

/// Makes rates of all kinds: with and without fractions, of equal and doubled periods, and rates whose stored form has
/// no room for more.
std::vector<Rule> sizes_of(std::mt19937_64& random, const std::string& limit) {
  const std::array periods = {"1s", "2s", "1m", "2m", "1h", "12h", "1d", "7d", "183d", "366d"};
  const std::array<std::uint64_t, 8> counts = {1, 3, 7, 10, 14, 100, 90'000'000, 1'000'000'000};
  const std::size_t first = random() % (periods.size() - 1);
  std::vector<Rule> sizes;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t count = counts[random() % (random() % 8 == 0 ? counts.size() : 6)];
    const std::string rate = std::to_string(count) + '/' + periods[first + (random() % 3 == 0 ? 1 : 0)];
    sizes.push_back(make_rule(rate, 1 + random() % (random() % 2 == 0 ? count : 3 * count), limit));
  }
  return sizes;
}

TEST_F(MixedVersions, NeverLockAKeyForLongerThanTheSlowestSizeNeedsForAllThatCanBeUsed) {
  std::mt19937_64 random(8649);
  int parts = 0;
  for (int trace = 0; trace < 80; ++trace) {
    const std::vector<Rule> sizes = sizes_of(random, "lock" + std::to_string(trace));
    double burst = 0;
    double pace = 0;  // microseconds per token
    for (const Rule& rule : sizes) {
      burst = std::max(burst, static_cast<double>(rule.burst));
      pace = std::max(pace, static_cast<double>(rule.rate.period.count()) / static_cast<double>(rule.rate.count));
    }
    Instant now = kStart;
    for (int step = 0; step < 60; ++step) {
      const Rule& rule = sizes[random() % sizes.size()];
      const auto cost = static_cast<std::int64_t>(random() % 3 == 0 ? 1 + random() % rule.burst : random() % 3);
      const bool older = random() % 2 == 0;
      older ? by_older(rule, cost, now) : by_newer(rule, cost, now);
      const auto length = value(rule).size();
      parts += length == 67 ? 1 : 0;
      ASSERT_LE(static_cast<double>(locked(rule, now).count()), burst * pace + 1000)
          << "trace " << trace << " step " << step << ": " << (older ? "older" : "newer") << " asked " << cost << " of "
          << to_text(rule.rate) << " burst " << rule.burst << ", which left " << value(rule);
      now += Duration(random() % 3 == 0 ? 0 : random() % static_cast<std::uint64_t>(2 * pace));
    }
  }
  EXPECT_GT(parts, 500) << "values with a fraction of a microsecond";
}

// The older version asks with one size only. Between two sizes of its own it forgets what the larger one used, as it
// always did.
TEST_F(MixedVersions, AdmitNoMoreThanTheLargestSizeAloneButForWhatTheOlderRounds) {
  std::mt19937_64 random(20261124);
  constexpr auto kRounded = 12us;  // per turn
  for (int trace = 0; trace < 60; ++trace) {
    const std::string limit = "admit" + std::to_string(trace);
    const std::array periods = {"1s", "7s", "1m", "1h", "1d"};
    const std::string period = std::string("/") + periods[random() % periods.size()];
    const std::uint64_t most = 8 + random() % 93;
    const Rule largest = make_rule(std::to_string(most) + period, most, limit);
    std::vector<Rule> sizes = {largest};
    for (int i = 0; i < 3; ++i)
      sizes.push_back(make_rule(std::to_string(1 + random() % most) + period, 1 + random() % most, limit));
    const Rule& of_older = sizes[random() % sizes.size()];
    const std::int64_t token = largest.rate.period.count() / static_cast<std::int64_t>(most);
    Instant now = kStart;
    std::int64_t admitted = 0;
    constexpr int kSteps = 120;
    for (int step = 0; step < kSteps; ++step) {
      const bool older = random() % 2 == 0;
      const Rule& rule = older ? of_older : sizes[random() % sizes.size()];
      const auto cost = static_cast<std::int64_t>(random() % 4 == 0 ? 1 + random() % rule.burst : random() % 3);
      if (older ? by_older(rule, cost, now) : by_newer(rule, cost, now)) admitted += cost;
      const Duration since = now - kStart + (step + 1) * kRounded;
      ASSERT_LE(admitted, static_cast<std::int64_t>(most) + since.count() / token)
          << "trace " << trace << " step " << step << ": " << (older ? "older" : "newer") << " asked " << cost << " of "
          << to_text(rule.rate) << " burst " << rule.burst << " beside " << most << period;
      now += Duration(random() % 3 == 0 ? 0 : random() % static_cast<std::uint64_t>(2 * token));
    }
    EXPECT_GE(admitted, static_cast<std::int64_t>(most) / 2);
  }
}

TEST_F(MixedVersions, ReadACountThatOnlyTheNewerKnowsAsASimilarOne) {
  const Rule large = make_rule("10000000000/day", 100);
  const Rule small = make_rule("7/day", 7);
  ASSERT_TRUE(by_newer(large, 5, kStart));
  EXPECT_TRUE(by_older(small, 2, kStart)) << value(large);
  EXPECT_FALSE(by_older(small, 1, kStart)) << value(large);
  EXPECT_LE(locked(large, kStart), 24h) << value(large);
  EXPECT_TRUE(by_newer(large, 93, kStart)) << value(large);
  EXPECT_FALSE(by_newer(large, 1, kStart)) << value(large);
}

// Values of the same rate in the forms of other versions, as a version that ran for a while has written them.
TEST_F(MixedVersions, ReadTheFormsOfOtherVersionsAsTheSameUse) {
  const Rule rule = make_rule("7/minute", 7);
  const std::string key = std::string("hg:v1:{") + kCaller + "}" + rule.suffix;
  const auto moment = std::to_string(kStart.time_since_epoch().count() + 25'714'285);  // 3 tokens and 5/7 us ahead
  for (const char* form : {"0000000060000000000000007000000005",
                           "5300000060000000000000007"
                           "000000005"
                           "0000000025714285",
                           "5400000660000000000000077"
                           "000000005"
                           "0000000025714285",
                           "5500000060000001000000007"
                           "000000005"
                           "0000000025714285"}) {
    newer_->client().command({"SET", key, moment + ':' + form});
    EXPECT_FALSE(by_newer(rule, 5, kStart)) << form;
    EXPECT_EQ(value(rule), moment + ':' + form) << "a rejection writes nothing";
    EXPECT_TRUE(by_newer(rule, 4, kStart)) << form;
    EXPECT_EQ(locked(rule, kStart), 60s) << "of one rate, so exact";
  }
}

TEST_F(MixedVersions, WriteACountThatTheOlderDoesNotKnowAfterASimilarRate) {
  const Rule rule = make_rule("10000000000000/minute");  // 10^9 in 6000 us
  ASSERT_TRUE(by_newer(rule, 1, kStart));
  EXPECT_EQ(value(rule), std::to_string(kStart.time_since_epoch().count()) + ":5500000000006001000000000" +
                             "00000060000000" + "10000000000000" + "00000060000000" + "0000000000000000");
  ASSERT_TRUE(by_newer(rule, 166'666, kStart));
  EXPECT_EQ(locked(rule, kStart), 1us);
  ASSERT_TRUE(by_newer(rule, 9'999'999'833'333, kStart));
  EXPECT_FALSE(by_newer(rule, 1, kStart));
}

}  // namespace
}  // namespace headgate::test
