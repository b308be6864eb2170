#include "unit/balance/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace headgate::balance::test {
namespace {

constexpr std::int64_t kNow = 1'000'000'000'000;

std::size_t chosen(const Table& table, std::uint64_t turn = 0, std::int64_t now = kNow) {
  return *find_policy("prequal")->choose(table, {.turn = turn, .seed = 3, .now = now});
}

Table servers(const std::vector<std::pair<std::uint32_t, Duration>>& in_flight_and_latency) {
  Table out(in_flight_and_latency.size());
  for (std::size_t at = 0; at < out.size(); ++at) {
    out[at].in_flight = in_flight_and_latency[at].first;
    out[at].latency = in_flight_and_latency[at].second;
    out[at].measured = kNow;
  }
  return out;
}

TEST(Prequal, TakesTheFastestColdServer) {
  const auto table = servers({{2, milliseconds(30)}, {2, milliseconds(10)}, {1, milliseconds(20)}});
  for (std::uint64_t turn = 0; turn < 100; ++turn) EXPECT_EQ(chosen(table, turn), 1U);
}

TEST(Prequal, LeavesOutAHotServerHoweverFastItIs) {
  const auto table = servers({{2, milliseconds(30)}, {9, milliseconds(1)}, {1, milliseconds(20)}});
  for (std::uint64_t turn = 0; turn < 100; ++turn) EXPECT_EQ(chosen(table, turn), 2U);
}

TEST(Prequal, OfTwoServersTakesTheLessBusyOne) {
  const auto table = servers({{1, milliseconds(1)}, {0, milliseconds(50)}});
  EXPECT_EQ(chosen(table), 1U);
}

TEST(Prequal, NeverPrefersAHotServerToAColdOne) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::pair<std::uint32_t, Duration>> rows(1 + random() % 16);
    for (auto& [in_flight, latency] : rows) {
      in_flight = static_cast<std::uint32_t>(random() % 20);
      latency = Duration(static_cast<Duration::rep>(random() % 1000));
    }
    auto sorted = rows;
    std::sort(sorted.begin(), sorted.end());
    const auto last_cold = sorted[(rows.size() - 1) * 84 / 100].first;
    auto fastest = Duration::max();
    for (const auto& [in_flight, latency] : rows)
      if (in_flight <= last_cold) fastest = std::min(fastest, latency);
    const auto at = chosen(servers(rows), random());
    EXPECT_LE(rows[at].first, last_cold) << i;
    EXPECT_EQ(rows[at].second, fastest) << i;
  }
}

TEST(Prequal, SpreadsServersThatAreAlike) {
  const auto table = servers({{0, {}}, {0, {}}, {0, {}}, {0, {}}});
  std::map<std::size_t, int> times;
  for (std::uint64_t turn = 0; turn < 4000; ++turn) ++times[chosen(table, turn)];
  for (std::size_t at = 0; at < 4; ++at) EXPECT_NEAR(times[at], 1000, 150);
}

TEST(Prequal, ComparesSixteenOfManyAndEachComesToItsTurn) {
  Table table(100);
  for (std::size_t at = 0; at < 100; ++at) {
    table[at].latency = milliseconds(1 + at);
    table[at].measured = kNow;
  }
  std::map<std::size_t, int> times;
  for (std::uint64_t turn = 0; turn < 10'000; ++turn) ++times[chosen(table, turn)];
  EXPECT_NEAR(times[0], 1600, 200) << "the fastest is drawn so often";
  EXPECT_GT(times[20], 10);
}

TEST(Prequal, ForgetsALatencyThatIsOld) {
  auto table = servers({{0, milliseconds(10)}, {0, milliseconds(100)}});
  const auto half = std::chrono::nanoseconds(kLatencyHalfLife).count();
  table[0].measured = kNow + 3 * half;
  EXPECT_EQ(chosen(table, 0, kNow + 3 * half), 0U) << "100 ms count as 12";
  table[0].measured = kNow + 4 * half;
  EXPECT_EQ(chosen(table, 0, kNow + 4 * half), 1U) << "now as 6";
}

TEST(Prequal, GivesMoreToTheFasterServers) {
  Traffic traffic("prequal", 6);
  for (const std::size_t at : {3U, 4U, 5U}) traffic.behaviours[at].takes = milliseconds(30);
  traffic.run(seconds(5), milliseconds(2));
  traffic.forget();
  traffic.run(seconds(60), milliseconds(2));
  EXPECT_GT(traffic.share(0) + traffic.share(1) + traffic.share(2), 0.9);
}

}  // namespace
}  // namespace headgate::balance::test
