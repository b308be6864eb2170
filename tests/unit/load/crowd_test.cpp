// Callers on a clock that is a number: who is sent when, and which promises were kept.

#include "headgate/load/crowd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace headgate::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TimetableOptions options_of(double rate, std::uint32_t callers, Duration length = seconds(10)) {
  TimetableOptions out;
  out.rate = rate;
  out.callers = callers;
  out.length = length;
  return out;
}

SeenAnswer allowed() { return {.status = 200}; }
SeenAnswer rejected(Duration wait) { return {.status = 429, .wait = wait}; }

/// Takes the next request at its moment.
DueRequest next_of(Crowd& crowd) {
  while (const auto at = crowd.next())
    if (auto request = crowd.take(*at)) return *request;
  ADD_FAILURE() << "nothing is due any more";
  return {};
}

TEST(Crowd, SendsNothingBeforeItsMoment) {
  Crowd crowd(options_of(10, 3), true);
  const auto first = crowd.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(crowd.take(*first - Duration(1)));
  const auto request = crowd.take(*first + milliseconds(500));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->due, *first) << "what is taken late is due when it was";
}

TEST(Crowd, MeasuresFromTheMomentThatWasIntended) {
  Crowd crowd(options_of(10, 3), true);
  const auto request = next_of(crowd);
  // It waited two seconds for a connection, and its answer took 30 ms.
  crowd.saw(request, allowed(), request.due + seconds(2), request.due + milliseconds(2030));
  const auto figures = crowd.figures();
  EXPECT_EQ(figures.callers.whole.max(), milliseconds(2030));
  EXPECT_EQ(figures.callers.from_sending.max(), milliseconds(30));
}

TEST(Crowd, StaysAnOpenLoopWhileAnswersStall) {
  // One server that answers everything of the first 5 s at their end: a closed loop would have sent little, and told of
  // one slow answer.
  Crowd crowd(options_of(100, 50), true);
  std::vector<DueRequest> open;
  while (const auto at = crowd.next()) {
    if (const auto request = crowd.take(*at)) {
      if (request->due < seconds(5))
        open.push_back(*request);
      else
        crowd.saw(*request, allowed(), request->due, request->due + milliseconds(1));
    }
  }
  for (const auto& request : open) crowd.saw(request, allowed(), request.due, seconds(5));
  const auto& whole = crowd.figures().callers.whole;
  EXPECT_NEAR(static_cast<double>(whole.count()), 1000, 160);
  EXPECT_GT(whole.at(0.9), seconds(3)) << "half of all callers saw the stall";
  EXPECT_LT(whole.at(0.25), milliseconds(2));
}

TEST(Crowd, HoldsACallerUntilTheMomentThatItWasTold) {
  Crowd crowd(options_of(1000, 1), true);
  const auto first = next_of(crowd);
  const auto seen_at = first.due + milliseconds(2);
  crowd.saw(first, rejected(milliseconds(700)), first.due, seen_at);
  EXPECT_EQ(crowd.waiting(), 1U);
  const auto again = next_of(crowd);
  EXPECT_TRUE(again.again);
  EXPECT_EQ(again.due, seen_at + milliseconds(700));
  EXPECT_GT(crowd.figures().held, 500U) << "what it would have sent meanwhile";
  // Until the answer to it is there it sends nothing else, which could take its permit.
  EXPECT_FALSE(crowd.take(again.due + milliseconds(50)));
  crowd.saw(again, allowed(), again.due, again.due + milliseconds(50));
  EXPECT_EQ(crowd.figures().kept, 1U);
  EXPECT_EQ(crowd.figures().broken, 0U);
  EXPECT_FALSE(next_of(crowd).again);
}

TEST(Crowd, TellsOfABrokenPromiseAndWaitsForTheNextOne) {
  Crowd crowd(options_of(100, 1), true);
  const auto first = next_of(crowd);
  crowd.saw(first, rejected(milliseconds(100)), first.due, first.due);
  const auto again = next_of(crowd);
  crowd.saw(again, rejected(milliseconds(300)), again.due, again.due);
  EXPECT_EQ(crowd.figures().broken, 1U);
  const auto third = next_of(crowd);
  EXPECT_TRUE(third.again);
  EXPECT_EQ(third.due, again.due + milliseconds(300));
  crowd.saw(third, allowed(), third.due, third.due);
  EXPECT_EQ(crowd.figures().kept, 1U);
}

TEST(Crowd, TakesTheLatestOfSeveralMoments) {
  Crowd crowd(options_of(1000, 1), true);
  const auto one = next_of(crowd);
  const auto two = next_of(crowd);
  crowd.saw(one, rejected(milliseconds(200)), one.due, two.due);
  crowd.saw(two, rejected(milliseconds(400)), two.due, two.due);
  EXPECT_EQ(crowd.waiting(), 1U);
  const auto again = next_of(crowd);
  EXPECT_TRUE(again.again);
  EXPECT_EQ(again.due, two.due + milliseconds(400));
  crowd.saw(again, allowed(), again.due, again.due);
  EXPECT_FALSE(next_of(crowd).again) << "it comes again once";
}

TEST(Crowd, JudgesNoAnswerThatSaysNothingOfTheLimit) {
  Crowd crowd(options_of(100, 1), true);
  const auto first = next_of(crowd);
  crowd.saw(first, rejected(milliseconds(100)), first.due, first.due);
  const auto again = next_of(crowd);
  auto failed = allowed();
  failed.status = 502;
  crowd.saw(again, failed, again.due, again.due);
  EXPECT_EQ(crowd.figures().kept + crowd.figures().broken, 0U);
  EXPECT_EQ(crowd.figures().again, 1U);
}

TEST(Crowd, JudgesNothingThatWasNotAnswered) {
  Crowd crowd(options_of(100, 1), true);
  const auto first = next_of(crowd);
  crowd.saw(first, rejected(milliseconds(100)), first.due, first.due);
  const auto again = next_of(crowd);
  crowd.saw(again, {.ending = Ending::cut}, again.due, again.due);
  const auto figures = crowd.figures();
  EXPECT_EQ(figures.kept + figures.broken, 0U);
  EXPECT_EQ(figures.again, 1U);
  EXPECT_EQ(figures.callers.no_answer, 1U);
  EXPECT_EQ(figures.unanswered.at(Ending::cut), 1U);
}

TEST(Crowd, LeavesOpenWhatIsPromisedForLater) {
  Crowd crowd(options_of(100, 1, seconds(2)), true);
  const auto first = next_of(crowd);
  crowd.saw(first, rejected(seconds(60)), first.due, first.due);
  while (const auto at = crowd.next()) EXPECT_FALSE(crowd.take(*at));
  EXPECT_EQ(crowd.figures().open, 1U);
  EXPECT_FALSE(crowd.next());
}

TEST(Crowd, HeedsNothingIfItIsImpatient) {
  Crowd crowd(options_of(100, 1), false);
  const auto first = next_of(crowd);
  crowd.saw(first, rejected(seconds(60)), first.due, first.due);
  EXPECT_FALSE(next_of(crowd).again);
  EXPECT_EQ(crowd.figures().held, 0U);
  EXPECT_EQ(crowd.figures().callers.rejected, 1U);
}

TEST(Crowd, LetsAttackersHeedNothing) {
  auto options = options_of(100, 20, seconds(20));
  options.like = Like::attack;
  Crowd crowd(options, true);
  std::uint64_t attacks = 0;
  while (crowd.next()) {
    const auto at = *crowd.next();
    const auto request = crowd.take(at);
    if (!request) continue;
    attacks += request->attacks ? 1 : 0;
    crowd.saw(*request, request->attacks ? rejected(seconds(600)) : allowed(), at, at);
  }
  const auto figures = crowd.figures();
  EXPECT_GT(attacks, 7000U);
  EXPECT_EQ(figures.attackers.rejected, attacks);
  EXPECT_EQ(figures.callers.rejected, 0U);
  EXPECT_EQ(figures.held, 0U);
}

TEST(Crowd, KeepsTheTicketOfAWaitingRoomAndCallsItNoPromise) {
  Crowd crowd(options_of(100, 1), true);
  const auto first = next_of(crowd);
  crowd.saw(first, {.status = 429, .wait = milliseconds(100), .in_line = true, .ticket = "t.1"}, first.due, first.due);
  EXPECT_EQ(crowd.ticket(1), "t.1");
  const auto again = next_of(crowd);
  EXPECT_TRUE(again.again);
  crowd.saw(again, {.status = 429, .wait = milliseconds(100), .in_line = true, .ticket = "t.2"}, again.due, again.due);
  crowd.saw(next_of(crowd), {.status = 200, .ticket = std::string(Crowd::kMaxTicket + 1, 'x')}, again.due, again.due);
  EXPECT_EQ(crowd.ticket(1), "t.2") << "no server fills memory";
  const auto figures = crowd.figures();
  EXPECT_EQ(figures.callers.in_line, 2U);
  EXPECT_EQ(figures.callers.rejected, 0U);
  EXPECT_EQ(figures.kept + figures.broken, 0U);
}

TEST(Crowd, AlsoHoldsWhatWaitedForAConnectionMeanwhile) {
  Crowd crowd(options_of(100, 1), true);
  const auto first = next_of(crowd);
  const auto second = next_of(crowd);
  EXPECT_TRUE(crowd.wants(second));
  crowd.saw(first, rejected(seconds(1)), first.due, second.due);
  EXPECT_FALSE(crowd.wants(second));
  EXPECT_EQ(crowd.figures().held, 1U);
  EXPECT_TRUE(crowd.wants(next_of(crowd))) << "it was told to come then";
}

TEST(Crowd, SendsNothingMoreOnceItIsStopped) {
  Crowd crowd(options_of(100, 1), true);
  crowd.stop();
  EXPECT_FALSE(crowd.next());
  EXPECT_FALSE(crowd.take(seconds(5)));
}

TEST(Crowd, CountsAnswersByWhatTheyMeanToTheirCallers) {
  Crowd crowd(options_of(100, 10), false);
  for (const unsigned status : {200U, 204U, 301U, 429U, 404U, 500U, 503U}) {
    const auto request = next_of(crowd);
    crowd.saw(request, {.status = status, .bytes = 10}, request.due, request.due);
  }
  const auto figures = crowd.figures();
  EXPECT_EQ(figures.callers.sent, 7U);
  EXPECT_EQ(figures.callers.allowed, 3U);
  EXPECT_EQ(figures.callers.rejected, 1U);
  EXPECT_EQ(figures.callers.other, 3U);
  EXPECT_EQ(figures.statuses.size(), 7U);
  EXPECT_EQ(figures.bytes, 70U);
}

}  // namespace
}  // namespace headgate::load
