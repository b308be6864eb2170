// How much each server gets, under traffic on a virtual clock.

#include "unit/balance/traffic.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace headgate::balance::test {
namespace {

class Shares : public testing::TestWithParam<const Policy*> {
 protected:
  std::string_view name() const { return GetParam()->name; }
  /// Traffic whose requests all have a key of their own.
  Traffic begin(std::size_t servers, std::uint64_t seed = 1) {
    Traffic out(name(), servers, seed);
    out.key = [seed]() mutable { return seed += 0x9E37'79B9'7F4A'7C15; };
    return out;
  }
};

TEST_P(Shares, OfEqualServersAreEqual) {
  for (const std::size_t servers : {1U, 2U, 3U, 7U, 20U}) {
    auto traffic = begin(servers);
    traffic.run(seconds(20), milliseconds(2));
    for (std::size_t at = 0; at < servers; ++at)
      EXPECT_NEAR(traffic.share(at) * static_cast<double>(servers), 1, 0.25) << at << " of " << servers;
  }
}

// Where requests in flight are compared, an idle server comes before a busy one. So with few of them, servers of small
// weights get more than their share.
TEST_P(Shares, FollowTheWeights) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    auto traffic = begin(2 + random() % 6, seed);
    double all = 0;
    for (std::size_t at = 0; at < traffic.chosen.size(); ++at) {
      traffic.table[at].weight = static_cast<std::uint32_t>(1 + random() % 5);
      all += traffic.table[at].weight;
    }
    const bool busy = name() != "round_robin" && name() != "consistent_hash";
    traffic.run(busy ? seconds(1) : seconds(20), busy ? microseconds(50) : microseconds(2'000));
    for (std::size_t at = 0; at < traffic.chosen.size(); ++at) {
      const auto wanted = traffic.table[at].weight / all;
      EXPECT_NEAR(traffic.share(at) / wanted, 1, 0.2)
          << at << " of " << traffic.chosen.size() << " with weight " << traffic.table[at].weight << ", seed " << seed;
    }
  }
}

TEST_P(Shares, BeginWithATenthAfterASlowStart) {
  auto traffic = begin(4);
  traffic.table.slow_start(seconds(100));
  traffic.run(seconds(1), microseconds(200));
  traffic.table[0].since = traffic.now();
  traffic.table[0].latency = Duration(0);
  traffic.forget();
  traffic.run(seconds(2), microseconds(200));
  EXPECT_GT(traffic.share(0), 0.005);
  EXPECT_LT(traffic.share(0), 0.08) << "a fourth would be its share";
  traffic.run(seconds(97), milliseconds(10));
  traffic.run(seconds(2), microseconds(500));
  traffic.forget();
  traffic.run(seconds(4), microseconds(500));
  EXPECT_NEAR(traffic.share(0), 0.25, 0.06);
}

// Each worker has its own turns and its own random numbers.
TEST_P(Shares, OfTwoWorkersDoNotFallOnTheSameServerAtTheSameTime) {
  auto one = begin(10, 1);
  auto other = begin(10, 2);
  other.turn = 1;
  for (std::size_t at = 0; at < 10; ++at) other.table[at].hash = one.table[at].hash;
  int same = 0;
  for (int i = 0; i < 1000; ++i) {
    same += one.send() == other.send() ? 1 : 0;
    one.pass(milliseconds(20));
    other.pass(milliseconds(20));
  }
  EXPECT_LT(same, 300);
}

INSTANTIATE_TEST_SUITE_P(All, Shares, testing::ValuesIn(policies().begin(), policies().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

class SlowServer : public testing::TestWithParam<const char*> {};

TEST_P(SlowServer, GetsLess) {
  Traffic traffic(GetParam(), 4);
  traffic.behaviours[2].takes = milliseconds(400);
  traffic.run(seconds(5), milliseconds(2));
  traffic.forget();
  traffic.run(seconds(60), milliseconds(2));
  EXPECT_LT(traffic.share(2), 0.04) << "round robin would give it a fourth";
  EXPECT_GT(traffic.share(2), 0) << "or nobody would see that it has become fast";
  traffic.behaviours[2].takes = milliseconds(10);
  traffic.run(seconds(60), milliseconds(2));
  traffic.forget();
  traffic.run(seconds(20), milliseconds(2));
  EXPECT_GT(traffic.share(2), 0.1);
}

TEST_P(SlowServer, ThatHangsHoldsFewRequests) {
  Traffic traffic(GetParam(), 3);
  traffic.behaviours[0].takes = seconds(1000);
  traffic.run(seconds(30), milliseconds(5));
  EXPECT_LT(traffic.chosen[0], 40U) << "of 6000 requests";
}

class FailingServer : public testing::TestWithParam<const char*> {};

TEST_P(FailingServer, IsNotAttractiveBecauseItFailsFast) {
  for (const std::size_t servers : {2U, 3U, 8U}) {
    Traffic traffic(GetParam(), servers);
    traffic.behaviours[0] = {.takes = microseconds(200), .fails = true};
    traffic.run(seconds(30), milliseconds(4));
    EXPECT_LT(traffic.share(0), 0.1) << "of " << servers << " servers";
    traffic.behaviours[0] = {};
    traffic.run(seconds(30), milliseconds(4));
    traffic.forget();
    traffic.run(seconds(10), milliseconds(4));
    EXPECT_GT(traffic.share(0) * static_cast<double>(servers), 0.5) << "it is well again";
  }
}

INSTANTIATE_TEST_SUITE_P(All, FailingServer, testing::Values("least_in_flight", "two_choices", "prequal"),
                         [](const auto& instance) { return std::string(instance.param); });

INSTANTIATE_TEST_SUITE_P(All, SlowServer, testing::Values("least_in_flight", "two_choices", "prequal"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace headgate::balance::test
