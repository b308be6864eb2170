#include "headgate/redis/breaker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;
using State = Breaker::State;
using Pass = Breaker::Pass;
using Heard = Breaker::Heard;
using Answer = Breaker::Answer;

/// A breaker whose connection has been up and quiet for an hour.
class BreakerTest : public testing::Test {
 protected:
  BreakerTest() {
    breaker.connected(now, Answer::prompt);
    now += 1h;
  }
  void time_out(Heard heard = Heard::nothing) { breaker.timed_out(now, Pass::call, heard); }
  void probe(Answer answer) {
    breaker.probe_sent();
    breaker.probe_answered(now, answer);
  }

  Breaker breaker;
  Breaker::Time now{1h};
};

TEST_F(BreakerTest, LetsCallsThroughWhileTheyAreAnswered) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(breaker.admit(now), Pass::call);
    breaker.succeeded(now, Pass::call);
  }
  EXPECT_EQ(breaker.state(), State::closed);
  EXPECT_FALSE(breaker.next_probe());
}

TEST_F(BreakerTest, OpensAtTheFirstTimeoutIfNothingWasHeardMeanwhile) {
  time_out(Heard::nothing);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.admit(now), Pass::refused);
}

TEST_F(BreakerTest, BearsFourTimeoutsOfASlowServerThatStillAnswersOthersAndOpensAtTheFifth) {
  for (int i = 0; i < 4; ++i) time_out(Heard::other_replies);
  EXPECT_EQ(breaker.state(), State::closed);
  time_out(Heard::other_replies);
  EXPECT_EQ(breaker.state(), State::open);
}

TEST_F(BreakerTest, AnAnswerInTimeEndsAStreakOfTimeouts) {
  for (int i = 0; i < 20; ++i) {
    time_out(Heard::other_replies);
    if (i % 4 == 3) breaker.succeeded(now, Pass::call);
  }
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST_F(BreakerTest, ProbesAtOnceAfterTheFirstSilenceAndClosesOnAPromptAnswer) {
  time_out();
  ASSERT_EQ(breaker.next_probe(), now);
  breaker.probe_sent();
  EXPECT_EQ(breaker.state(), State::half_open);
  EXPECT_EQ(breaker.admit(now), Pass::refused);
  EXPECT_FALSE(breaker.next_probe()) << "one probe at a time";
  breaker.probe_answered(now + 1ms, Answer::prompt);
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST_F(BreakerTest, ALateProbeLeavesItOpenAndIsRepeatedAfterTheLeastPause) {
  time_out();
  breaker.probe_sent();
  breaker.probe_overdue();
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_FALSE(breaker.next_probe()) << "the first is still unanswered";
  now += 700ms;
  breaker.probe_answered(now, Answer::late);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.next_probe(), now + 100ms);
}

TEST_F(BreakerTest, SilenceSoonAfterClosingDoublesThePauseUpToASecond) {
  Duration pauses[7];
  for (auto& pause : pauses) {
    time_out();
    pause = std::chrono::duration_cast<Duration>(*breaker.next_probe() - now);
    now += pause;
    probe(Answer::prompt);
    now += 20ms;
  }
  EXPECT_THAT(std::vector<Duration>(std::begin(pauses), std::end(pauses)),
              testing::ElementsAre(0ms, 100ms, 200ms, 400ms, 800ms, 1s, 1s));
  now += 1s;  // steady again: history is forgotten
  time_out();
  EXPECT_EQ(breaker.next_probe(), now);
}

TEST_F(BreakerTest, TimeoutsOfCallsSentBeforeItOpenedChangeNothing) {
  time_out();
  const auto due = breaker.next_probe();
  for (int i = 0; i < 50; ++i) time_out();
  EXPECT_EQ(breaker.next_probe(), due);
}

TEST_F(BreakerTest, ARefusalOpensItAndOneTrialCallDecides) {
  breaker.refused(now, Pass::call);
  EXPECT_EQ(breaker.admit(now), Pass::refused);
  EXPECT_FALSE(breaker.next_probe()) << "a PING would be answered and prove nothing";
  now += 100ms;
  EXPECT_EQ(breaker.admit(now), Pass::trial);
  EXPECT_EQ(breaker.state(), State::half_open);
  EXPECT_EQ(breaker.admit(now), Pass::refused) << "one trial at a time";
  breaker.succeeded(now, Pass::trial);
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST_F(BreakerTest, ARefusedTrialWaitsLongerForTheNextOne) {
  breaker.refused(now, Pass::call);
  now += 100ms;
  ASSERT_EQ(breaker.admit(now), Pass::trial);
  breaker.refused(now, Pass::trial);
  now += 199ms;
  EXPECT_EQ(breaker.admit(now), Pass::refused);
  now += 1ms;
  EXPECT_EQ(breaker.admit(now), Pass::trial);
}

TEST_F(BreakerTest, AnswersToCallsSentBeforeARefusalDoNotCloseIt) {
  breaker.refused(now, Pass::call);
  breaker.succeeded(now, Pass::call);
  breaker.refused(now + 50ms, Pass::call);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.admit(now + 100ms), Pass::trial) << "nor do they put the trial off";
}

TEST_F(BreakerTest, ATrialWhoseCallerWentAwayPassesToTheNextCall) {
  breaker.refused(now, Pass::call);
  now += 100ms;
  ASSERT_EQ(breaker.admit(now), Pass::trial);
  breaker.released(now, Pass::trial);
  EXPECT_EQ(breaker.admit(now), Pass::trial);
}

TEST_F(BreakerTest, ATrialThatTimesOutIsASilenceToBeProbed) {
  breaker.refused(now, Pass::call);
  now += 100ms;
  ASSERT_EQ(breaker.admit(now), Pass::trial);
  breaker.timed_out(now, Pass::trial, Heard::other_replies);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_TRUE(breaker.next_probe());
}

TEST_F(BreakerTest, ALostConnectionRefusesEverythingUntilTheNextOneAnswersPromptly) {
  breaker.lost(now);
  now += 1h;
  EXPECT_EQ(breaker.admit(now), Pass::refused);
  EXPECT_FALSE(breaker.next_probe());
  breaker.connected(now, Answer::prompt);
  EXPECT_EQ(breaker.admit(now), Pass::call);
}

TEST_F(BreakerTest, AConnectionThatShookHandsSlowlyIsProbedFirst) {
  breaker.lost(now);
  breaker.connected(now, Answer::late);
  EXPECT_EQ(breaker.admit(now), Pass::refused);
  ASSERT_EQ(breaker.next_probe(), now);
  probe(Answer::prompt);
  EXPECT_EQ(breaker.admit(now), Pass::call);
}

TEST_F(BreakerTest, AProbeLostWithItsConnectionIsSentAgainOnTheNext) {
  time_out();
  breaker.probe_sent();
  breaker.lost(now);
  breaker.connected(now, Answer::late);
  EXPECT_TRUE(breaker.next_probe());
}

TEST(Breaker, LetsTheFirstCallsWaitForTheFirstConnection) {
  Breaker breaker;
  EXPECT_EQ(breaker.admit(Breaker::Time{}), Pass::call);
}

TEST(Breaker, DoesNotProbeWithoutAConnection) {
  Breaker breaker;
  breaker.timed_out(Breaker::Time{1s}, Pass::call, Heard::nothing);
  EXPECT_EQ(breaker.admit(Breaker::Time{1s}), Pass::refused);
  EXPECT_FALSE(breaker.next_probe());
  breaker.connected(Breaker::Time{2s}, Answer::prompt);
  EXPECT_EQ(breaker.admit(Breaker::Time{2s}), Pass::call);
}

}  // namespace
}  // namespace headgate::redis
