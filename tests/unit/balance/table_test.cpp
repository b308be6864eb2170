#include "headgate/balance/table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace headgate::balance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::int64_t at(Duration since_start) { return std::chrono::nanoseconds(seconds(100) + since_start).count(); }

TEST(Latency, IsAMovingAverage) {
  Server server;
  note_latency(server, Duration(800), 1);
  EXPECT_EQ(server.latency, Duration(800)) << "the first is all that is known";
  note_latency(server, Duration(1600), 2);
  EXPECT_EQ(server.latency, Duration(900));
  EXPECT_EQ(server.measured, 2);
  for (int i = 0; i < 100; ++i) note_latency(server, Duration(100), 3);
  EXPECT_NEAR(static_cast<double>(server.latency.count()), 100, 8);
}

TEST(Latency, OfAFailureIsTwiceTheSlowestServers) {
  Table table(3);
  note_latency(table[0], milliseconds(10), 0);
  note_latency(table[1], milliseconds(40), 0);
  note_failure(table, 2, milliseconds(1), 7);
  EXPECT_EQ(table[2].latency, milliseconds(80)) << "although it failed fast";
  EXPECT_EQ(table[2].measured, 7);
  note_failure(table, 0, milliseconds(810), 8);
  EXPECT_EQ(table[0].latency, milliseconds(110)) << "it took longer than that";
}

TEST(Latency, CountsHalfWhenItIsOld) {
  Server server;
  note_latency(server, milliseconds(80), at(Duration(0)));
  EXPECT_EQ(aged_latency(server, at(kLatencyHalfLife - milliseconds(1))), milliseconds(80));
  EXPECT_EQ(aged_latency(server, at(kLatencyHalfLife)), milliseconds(40));
  EXPECT_EQ(aged_latency(server, at(3 * kLatencyHalfLife)), milliseconds(10));
  EXPECT_EQ(aged_latency(server, std::numeric_limits<std::int64_t>::max()), Duration(0));
  EXPECT_EQ(aged_latency(server, 0), milliseconds(80)) << "a clock that was not asked";
}

TEST(Latency, IsThatOfTheNextAnswerWhenItIsOld) {
  Server server;
  note_latency(server, milliseconds(800), at(Duration(0)));
  note_latency(server, milliseconds(8), at(kLatencyHalfLife));
  EXPECT_EQ(server.latency, milliseconds(8));
  note_latency(server, milliseconds(16), at(kLatencyHalfLife + milliseconds(5)));
  EXPECT_EQ(server.latency, milliseconds(9));
}

TEST(Failures, CountHalfAfterEachSecond) {
  Table table(1);
  EXPECT_EQ(recent_failures(table[0], at(Duration(0))), 0);
  note_failure(table, 0, milliseconds(1), at(Duration(0)));
  note_failure(table, 0, milliseconds(1), at(Duration(0)));
  EXPECT_DOUBLE_EQ(recent_failures(table[0], at(Duration(0))), 2);
  EXPECT_DOUBLE_EQ(recent_failures(table[0], at(seconds(1))), 1);
  note_failure(table, 0, milliseconds(1), at(seconds(1)));
  EXPECT_DOUBLE_EQ(recent_failures(table[0], at(seconds(2))), 1);
  EXPECT_LT(recent_failures(table[0], at(seconds(30))), 1e-6);
  EXPECT_EQ(recent_failures(table[0], 0), 0) << "a clock that was not asked";
}

TEST(Latency, OfTheFirstAnswerIsNeverUnknown) {
  Table table(1);
  note_failure(table, 0, Duration(0), 1);
  EXPECT_GT(table[0].latency, Duration(0));
}

TEST(Latency, StandsTheLongestTimes) {
  Table table(2);
  for (int i = 0; i < 100; ++i) {
    note_latency(table[0], Duration::max(), 1);
    note_failure(table, 1, Duration::max(), 1);
    EXPECT_GT(table[0].latency, Duration(0));
    EXPECT_GT(table[1].latency, Duration(0));
  }
}

TEST(SlowStart, GrowsEvenlyFromATenthToAll) {
  Server server;
  server.since = at(Duration(0));
  EXPECT_EQ(warmth(server, seconds(10), at(Duration(0))), 100U);
  EXPECT_EQ(warmth(server, seconds(10), at(seconds(5))), 550U);
  EXPECT_NEAR(warmth(server, seconds(10), at(milliseconds(9'999))), 999, 1);
  EXPECT_EQ(warmth(server, seconds(10), at(seconds(10))), kWholeShare);
  EXPECT_EQ(warmth(server, seconds(10), at(seconds(1'000'000))), kWholeShare);
  auto last = 0U;
  for (int passed = 0; passed <= 10'000; passed += 10) {
    const auto now = warmth(server, seconds(10), at(milliseconds(passed)));
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(SlowStart, IsNotForServersThatAreThereFromTheBeginning) {
  EXPECT_EQ(warmth(Server(), seconds(10), at(Duration(0))), kWholeShare);
}

TEST(SlowStart, CanBeOff) {
  Server server;
  server.since = at(Duration(0));
  EXPECT_EQ(warmth(server, Duration(0), at(Duration(0))), kWholeShare);
}

TEST(SlowStart, BeginsWhenAnotherThreadIsAheadOfThisOne) {
  Server server;
  server.since = at(seconds(1));
  EXPECT_EQ(warmth(server, seconds(10), at(Duration(0))), 100U);
}

TEST(Table, KnowsWhetherItsServersAreAlike) {
  Table none(0);
  none.note_shares();
  EXPECT_FALSE(none.alike());
  Table table(3);
  EXPECT_FALSE(table.alike()) << "nobody has looked yet";
  table.note_shares();
  EXPECT_TRUE(table.alike());
  table[1].backup = true;
  table.note_shares();
  EXPECT_FALSE(table.alike());
  table[1].backup = false;
  table[2].weight = 2;
  table.note_shares();
  EXPECT_FALSE(table.alike());
  table[0].weight = table[1].weight = 2;
  table.note_shares();
  EXPECT_TRUE(table.alike());
  table.slow_start(seconds(1));
  table.note_shares();
  EXPECT_FALSE(table.alike());
}

TEST(InFlight, IsCountedUpAndDown) {
  Server server;
  add_in_flight(server, 1);
  add_in_flight(server, 1);
  add_in_flight(server, -1);
  EXPECT_EQ(server.in_flight, 1U);
}

}  // namespace
}  // namespace headgate::balance
