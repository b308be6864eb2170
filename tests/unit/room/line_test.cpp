// The line of a room, on a clock that is a variable.

#include "headgate/room/line.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using room::Answer;
using room::Ask;
using room::Question;
using room::VisitorState;

const Instant kStart{std::chrono::seconds(1'760'000'000)};

room::RoomRule rated(std::uint64_t count, Duration period = 1s) {
  return {.name = "sale",
          .count = count,
          .period = period,
          .burst = std::max<std::int64_t>(1, static_cast<std::int64_t>(count * 2'000'000 / period.count())),
          .grace = 60s,
          .stay = 600s};
}

room::RoomRule visited(std::uint64_t visitors) {
  return {.name = "sale", .burst = 1, .visitors = visitors, .grace = 60s, .stay = 600s};
}

struct OneRoom {
  Answer arrive() { return ask({.ask = Ask::arrive}); }
  Answer present(std::int64_t number) { return ask({.ask = Ask::present, .number = number}); }
  Answer remain(std::int64_t number) { return ask({.ask = Ask::remain, .number = number}); }
  Answer look() { return ask({}); }
  Answer ask(const Question& question) { return room::step(state, rule, question, now); }
  /// Somebody asks each second meanwhile.
  void pass(Duration time) {
    for (const auto end = now + time; now < end; now = std::min<Instant>(now + 1s, end)) look();
  }

  room::RoomRule rule;
  room::LineState state{};
  Instant now = kStart;
};

TEST(Line, LetsInAtOnceWhatTheRateAllowsAndThenNumbersTheOthers) {
  OneRoom room{rated(5)};
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(room.arrive().place, VisitorState::inside) << i;
  const auto next = room.arrive();
  EXPECT_EQ(next.place, VisitorState::waiting);
  EXPECT_EQ(next.number, 11);
  EXPECT_EQ(next.serving, 10);
}

Question newcomer(std::string owner) { return {.ask = Ask::arrive, .owner = std::move(owner)}; }

TEST(Line, AnOwnerHasNoMorePlacesThanItMay) {
  OneRoom room{visited(1000)};
  room.rule.at_most = 32;
  for (int i = 1; i <= 1100; ++i) {
    const auto answer = room.ask(newcomer("greedy"));
    EXPECT_EQ(answer.number, std::min(i, 32));
    EXPECT_EQ(answer.place, VisitorState::inside);
  }
  EXPECT_LE(room.look().taken, 32);
  EXPECT_EQ(room.ask(newcomer("honest")).number, 33);
}

TEST(Line, AnOwnerHasNoMoreNumbersThanItMayAndGetsTheNewestOfThese) {
  OneRoom room{rated(50)};
  room.rule.at_most = 32;
  for (int i = 0; i < 30'000; ++i) EXPECT_LE(room.ask(newcomer("greedy")).number, 32);
  for (int i = 0; i < 200; ++i) room.ask(newcomer("honest " + std::to_string(i)));
  const auto last = room.ask(newcomer("late"));
  EXPECT_EQ(last.number, 233);
  EXPECT_EQ(room.ask(newcomer("greedy")).number, 32) << "no better, no worse";
  EXPECT_EQ(room.ask({.ask = Ask::arrive}).number, 234) << "no owner, no bound";
}

TEST(Line, ANumberOfAnOwnerIsFreeWhenItIsLostOrItsVisitorHasLeft) {
  for (const bool visitors : {false, true}) {
    OneRoom room{visitors ? visited(1000) : rated(50)};
    room.rule.at_most = 2;
    room.rule.stay = 300s;
    room.ask(newcomer("one"));
    room.ask(newcomer("one"));
    EXPECT_EQ(room.ask(newcomer("one")).number, 2);
    room.pass(50s);
    EXPECT_EQ(room.ask(newcomer("one")).number, 2) << "who was called may still come";
    room.pass(80s);
    EXPECT_EQ(room.ask(newcomer("one")).number, visitors ? 2 : 3) << "a place inside lasts longer than the grace";
    room.pass(400s);
    EXPECT_EQ(room.ask(newcomer("one")).number, visitors ? 3 : 4);
  }
}

TEST(Line, ATakeOverLearnsFromTicketsWhatAnOwnerHas) {
  OneRoom room{rated(1, 3600s)};
  room.rule.at_most = 3;
  for (const std::int64_t number : {70, 50, 60, 60})
    room.ask({.ask = Ask::present, .number = number, .next = 100, .serving = 40, .owner = "one"});
  EXPECT_EQ(room.ask(newcomer("one")).number, 70);
  EXPECT_EQ(room.ask(newcomer("other")).number, 101);
}

TEST(Line, RemembersABoundedNumberOfOwners) {
  room::Owners owners;
  owners.of("first").push_back(1);
  // So many that fewer than kWays of them fall into the first one's set once in 10^9 runs: hashes are seeded at random.
  for (std::size_t i = 0; i < 5 * room::Owners::kSets * room::Owners::kWays; ++i)
    owners.of("owner " + std::to_string(i)).push_back(2);
  EXPECT_TRUE(owners.of("first").empty()) << "forgotten, as the one asked for longest ago";
  EXPECT_EQ(owners.of("first").size(), 0U);
}

TEST(Line, CallsInOrderAtTheRate) {
  OneRoom room{rated(5)};
  for (int i = 0; i < 1000; ++i) room.arrive();
  for (int second = 1; second <= 100; ++second) {
    room.now += 1s;
    EXPECT_EQ(room.look().serving, 10 + 5 * second);
  }
  EXPECT_EQ(room.present(510).place, VisitorState::inside);
  EXPECT_EQ(room.present(511).place, VisitorState::waiting);
}

TEST(Line, CountsFractionsOfAnAdmissionExactly) {
  OneRoom room{rated(7)};
  for (int i = 0; i < 2000; ++i) room.arrive();
  for (int i = 0; i < 1'000'000; i += 100) {
    room.now += 10ms;
    room.look();
  }
  EXPECT_EQ(room.look().serving, 14 + 700);
}

TEST(Line, DoesNotPileUpAdmissionsWhileNobodyWaits) {
  OneRoom room{rated(5)};
  room.arrive();
  room.now += 24h;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(room.arrive().place, VisitorState::inside);
  EXPECT_EQ(room.arrive().place, VisitorState::waiting);
}

TEST(Line, NewcomersDoNotPassThoseWhoWait) {
  OneRoom room{rated(1)};
  for (int i = 0; i < 10; ++i) room.arrive();
  room.now += 1s;
  EXPECT_EQ(room.arrive().place, VisitorState::waiting);
  EXPECT_EQ(room.present(3).place, VisitorState::inside);
}

TEST(Line, APlaceIsKeptForTheGraceAndLostSoonAfter) {
  for (const Duration late : {59s, 75s}) {
    OneRoom room{rated(1)};
    for (int i = 0; i < 200; ++i) room.arrive();
    room.pass(10s);
    ASSERT_EQ(room.look().serving, 12);
    room.pass(late);
    const auto back = room.present(12);
    EXPECT_EQ(back.lost, late > 60s) << late.count();
    if (back.lost) {
      EXPECT_EQ(back.number, 201);
      EXPECT_EQ(back.place, VisitorState::waiting);
    } else {
      EXPECT_EQ(back.place, VisitorState::inside);
    }
  }
}

TEST(Line, KeepsPlacesOverATimeInWhichNoCallerCouldAsk) {
  OneRoom room{rated(1)};
  for (int i = 0; i < 20; ++i) room.arrive();
  room.pass(10s);
  room.now += 1h;
  EXPECT_FALSE(room.present(12).lost);
}

TEST(Line, ATicketIsTheSameVisitorHoweverOftenItIsPresented) {
  OneRoom room{visited(3)};
  for (int i = 0; i < 3; ++i) room.arrive();
  const auto fourth = room.arrive();
  ASSERT_EQ(fourth.place, VisitorState::waiting);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(room.present(2).number, 2);
    EXPECT_EQ(room.look().taken, 3);
  }
}

TEST(Line, LetsInAsManyVisitorsAsMayBeInside) {
  OneRoom room{visited(3)};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(room.arrive().place, VisitorState::inside);
  EXPECT_EQ(room.arrive().place, VisitorState::waiting);
  EXPECT_EQ(room.arrive().number, 5);
  bool fifth_inside = false;
  for (int minute = 0; minute < 12 && !fifth_inside; ++minute) {
    room.pass(60s);
    room.remain(1);
    fifth_inside = room.present(5).place == VisitorState::inside;
  }
  // 2 and 3 have left without a word: 4 and 5 are called.
  EXPECT_TRUE(fifth_inside);
  EXPECT_EQ(room.look().serving, 5);
}

TEST(Line, AVisitorWhoIsSeenStaysInsideAndOneWhoIsNotLeavesAfterItsStay) {
  OneRoom room{visited(100)};
  room.arrive();
  room.arrive();
  for (int i = 0; i < 60; ++i) {
    room.pass(30s);
    room.remain(1);
  }
  EXPECT_EQ(room.look().taken, 1);
  room.pass(599s);
  EXPECT_EQ(room.look().taken, 1);
  room.pass(120s);
  EXPECT_EQ(room.look().taken, 0);
}

TEST(Line, ACalledNumberHoldsAPlaceForItsGraceOnly) {
  OneRoom room{visited(1)};
  room.arrive();
  for (int i = 0; i < 3; ++i) room.arrive();
  room.pass(720s);
  ASSERT_EQ(room.look().serving, 2);  // 2 was called, and does not come
  room.pass(180s);
  EXPECT_EQ(room.look().serving, 3);
}

TEST(Line, ATakeOverGivesNoNumberTwiceAndNeverGoesBack) {
  OneRoom room{rated(5)};
  for (int i = 0; i < 100; ++i) room.arrive();
  room.now += 4s;
  const auto before = room.look();
  const auto replica = room.state;
  for (int i = 0; i < 20; ++i) room.arrive();
  room.now += 1s;
  const auto seen = room.look();
  room.state = replica;
  room.now += 1s;
  const auto after = room.ask({.ask = Ask::arrive, .next = seen.next, .serving = seen.serving});
  EXPECT_EQ(after.number, 121);
  EXPECT_EQ(seen.serving, before.serving + 5);
  EXPECT_EQ(after.serving, before.serving + 10) << "the rate holds over the take-over";
}

TEST(Line, TicketsBringBackALostRoom) {
  OneRoom room{rated(5)};
  const auto back = room.ask({.ask = Ask::present, .number = 25'000, .serving = 20'000});
  EXPECT_EQ(back.place, VisitorState::waiting);
  EXPECT_EQ(back.next, 25'000);
  EXPECT_EQ(back.serving, 20'000) << "and nobody is called beyond that at once";
  EXPECT_EQ(room.arrive().number, 25'001);
}

TEST(Line, AClockThatWasSetBackStopsNothingForLong) {
  OneRoom room{rated(5)};
  for (int i = 0; i < 100; ++i) room.arrive();
  room.now += 10s;
  const auto before = room.look();
  room.now -= 3600s;
  EXPECT_EQ(room.look().serving, before.serving);
  room.now += 2s;
  EXPECT_EQ(room.look().serving, before.serving + 10);
}

TEST(Line, ManyGatewaysThatCountAloneLetInTheRateTogether) {
  OneRoom one{rated(10)};
  OneRoom other{rated(10)};
  int inside = 0;
  for (int second = 0; second < 100; ++second) {
    for (auto* room : {&one, &other}) {
      for (int i = 0; i < 50; ++i)
        inside += room->ask({.ask = Ask::arrive, .stride = 2}).place == VisitorState::inside ? 1 : 0;
      room->now += 1s;
    }
  }
  // The numbers that were called are all odd or all even at one gateway.
  EXPECT_EQ(one.look().serving, 20 + 1000);
  EXPECT_EQ(other.look().serving, 20 + 1000);
  EXPECT_LE(inside, 1020);
}

TEST(Line, InObserveModeLetsEverybodyInAndReportsWhoWouldHaveWaited) {
  OneRoom room{rated(5)};
  int waiting = 0;
  for (int second = 0; second < 100; ++second) {
    for (int i = 0; i < 10; ++i) waiting += room.ask({.ask = Ask::observe}).place == VisitorState::waiting ? 1 : 0;
    room.now += 1s;
    EXPECT_EQ(room.look().serving, room.look().next);
  }
  EXPECT_NEAR(waiting, 495, 5);
}

TEST(Line, PlacesAreSpreadAsIfByChance) {
  for (const std::int64_t from : {1, 5'000, 1'000'000}) {
    for (const int count : {1'000, 20'000, 60'000}) {
      std::set<std::int64_t> taken;
      for (int i = 0; i < count; ++i) {
        const auto place = room::place_of(from + i);
        ASSERT_GE(place, 0);
        ASSERT_LT(place, room::kPlaces);
        taken.insert(place);
      }
      const auto inside = static_cast<double>(room::inside_of(static_cast<std::int64_t>(taken.size())));
      EXPECT_NEAR(inside / count, 1.0, 0.05) << from << " " << count;
    }
  }
}

TEST(Line, TheBoundOfVisitorsHoldsForManyWhoComeAndGo) {
  for (const std::uint64_t visitors : {50UL, 2'000UL}) {
    OneRoom room{visited(visitors)};
    std::mt19937 random(7);
    std::map<std::int64_t, Instant> inside;
    std::vector<std::int64_t> waiting;
    std::size_t most = 0;
    for (int minute = 0; minute < 60; ++minute) {
      for (std::uint64_t i = 0; i < visitors / 2; ++i) {
        const auto answer = room.arrive();
        if (answer.place == VisitorState::inside)
          inside[answer.number] = room.now;
        else
          waiting.push_back(answer.number);
      }
      for (auto at = inside.begin(); at != inside.end();) {
        if (random() % 4 == 0) {
          at = inside.erase(at);
        } else {
          room.remain(at->first);
          ++at;
        }
      }
      for (auto at = waiting.begin(); at != waiting.end() && *at <= room.look().serving;) {
        const auto answer = room.present(*at);
        if (answer.place == VisitorState::inside) inside[answer.number] = room.now;
        at = waiting.erase(at);
      }
      most = std::max(most, inside.size());
      room.pass(60s);
    }
    EXPECT_LE(static_cast<double>(most), static_cast<double>(visitors) * 1.05);
    EXPECT_GT(room.look().serving, static_cast<std::int64_t>(visitors) * 3) << "those who left made room";
  }
}

}  // namespace
}  // namespace headgate::test
