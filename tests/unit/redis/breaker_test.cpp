#include "headgate/redis/breaker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;
using State = Breaker::State;
using Pass = Breaker::Pass;
using Replies = Breaker::Replies;

/// A breaker whose connection has carried writes and been quiet for an hour.
class BreakerTest : public testing::Test {
 protected:
  BreakerTest() {
    breaker.connected(now);
    probe(Breaker::Answer::accepted);
    now += 1h;
  }
  void time_out(Replies heard = Replies::none) { breaker.timed_out(now, heard); }
  void probe(Breaker::Answer answer) {
    breaker.probe_sent();
    breaker.probe_answered(now, answer);
  }

  Breaker breaker;
  Breaker::Time now{1h};
};

TEST_F(BreakerTest, LetsCallsThroughWhileTheyAreAnswered) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(breaker.admit(), Pass::call);
    breaker.succeeded();
  }
  EXPECT_EQ(breaker.state(), State::closed);
  EXPECT_FALSE(breaker.next_probe());
}

TEST_F(BreakerTest, OpensAtTheFirstTimeoutIfNothingWasHeardMeanwhile) {
  time_out(Replies::none);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.admit(), Pass::refused);
}

TEST_F(BreakerTest, OpensAtTheFifthTimeoutOfASlowServerThatStillAnswersOtherCalls) {
  for (int i = 0; i < 4; ++i) time_out(Replies::others);
  EXPECT_EQ(breaker.state(), State::closed);
  time_out(Replies::others);
  EXPECT_EQ(breaker.state(), State::open);
}

TEST_F(BreakerTest, AnAnswerInTimeEndsAStreakOfTimeouts) {
  for (int i = 0; i < 20; ++i) {
    time_out(Replies::others);
    if (i % 4 == 3) breaker.succeeded();
  }
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST_F(BreakerTest, ProbesAtOnceAfterTheFirstSilenceAndClosesOnAPromptAnswer) {
  time_out();
  ASSERT_EQ(breaker.next_probe(), now);
  breaker.probe_sent();
  EXPECT_EQ(breaker.state(), State::half_open);
  EXPECT_EQ(breaker.admit(), Pass::refused) << "nobody waits for a server that was silent";
  EXPECT_FALSE(breaker.next_probe()) << "one probe at a time";
  breaker.probe_answered(now + 1ms, Breaker::Answer::accepted);
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST_F(BreakerTest, ALateProbeLeavesItOpenAndIsRepeatedAfterTheLeastPause) {
  time_out();
  breaker.probe_sent();
  breaker.probe_overdue(now);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_FALSE(breaker.next_probe()) << "the first is still unanswered";
  now += 700ms;
  breaker.probe_answered(now, Breaker::Answer::late);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.next_probe(), now + 100ms);
}

TEST_F(BreakerTest, SilenceSoonAfterClosingDoublesThePauseUpToHalfASecond) {
  Duration pauses[6];
  for (auto& pause : pauses) {
    time_out();
    pause = std::chrono::duration_cast<Duration>(*breaker.next_probe() - now);
    now += pause;
    probe(Breaker::Answer::accepted);
    now += 20ms;
  }
  EXPECT_THAT(std::vector<Duration>(std::begin(pauses), std::end(pauses)),
              testing::ElementsAre(0ms, 100ms, 200ms, 400ms, 500ms, 500ms));
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

TEST_F(BreakerTest, ARefusalOpensItAndAProbeDecidesForWhichCallsWait) {
  breaker.refused(now);
  EXPECT_EQ(breaker.admit(), Pass::refused) << "the probe is not out yet";
  EXPECT_EQ(breaker.next_probe(), now + 100ms) << "it has just refused";
  now += 100ms;
  breaker.probe_sent();
  EXPECT_EQ(breaker.admit(), Pass::wait) << "it answers, and so will soon";
  breaker.probe_answered(now, Breaker::Answer::accepted);
  EXPECT_EQ(breaker.admit(), Pass::call);
}

TEST_F(BreakerTest, ARefusedProbeIsRepeatedAfterALongerPause) {
  breaker.refused(now);
  now += 100ms;
  probe(Breaker::Answer::refused);
  EXPECT_EQ(breaker.admit(), Pass::refused);
  EXPECT_EQ(breaker.next_probe(), now + 200ms);
  now += 200ms;
  probe(Breaker::Answer::refused);
  EXPECT_EQ(breaker.next_probe(), now + 400ms);
}

TEST_F(BreakerTest, AnswersToCallsSentBeforeARefusalDoNotCloseIt) {
  breaker.refused(now);
  breaker.succeeded();
  breaker.refused(now + 50ms);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.next_probe(), now + 100ms) << "nor do they put the probe off";
}

TEST_F(BreakerTest, AProbeThatIsNotAnsweredAfterARefusalIsASilenceThatNobodyWaitsFor) {
  breaker.refused(now);
  breaker.probe_sent();
  breaker.probe_overdue(now);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.admit(), Pass::refused);
}

TEST_F(BreakerTest, ALostConnectionRefusesEverythingUntilTheNextOneHasCarriedAWrite) {
  breaker.lost(now);
  now += 1h;
  EXPECT_EQ(breaker.admit(), Pass::refused);
  EXPECT_FALSE(breaker.next_probe());
  breaker.connected(now);
  EXPECT_EQ(breaker.admit(), Pass::refused) << "a handshake proves nothing";
  ASSERT_EQ(breaker.next_probe(), now);
  breaker.probe_sent();
  EXPECT_EQ(breaker.admit(), Pass::refused);
  breaker.probe_answered(now, Breaker::Answer::accepted);
  EXPECT_EQ(breaker.admit(), Pass::call);
}

TEST_F(BreakerTest, AProbeLostWithItsConnectionIsSentAgainOnTheNext) {
  time_out();
  breaker.probe_sent();
  breaker.lost(now);
  breaker.connected(now);
  EXPECT_TRUE(breaker.next_probe());
}

TEST(Breaker, LetsTheFirstCallsWaitForTheFirstConnection) {
  Breaker breaker;
  EXPECT_EQ(breaker.admit(), Pass::call);
}

TEST(Breaker, ProbesTheFirstConnectionWhileCallsGo) {
  Breaker breaker;
  breaker.connected(Breaker::Time{1s});
  EXPECT_FALSE(breaker.proven());
  EXPECT_EQ(breaker.next_probe(), Breaker::Time{1s});
  breaker.probe_sent();
  EXPECT_EQ(breaker.admit(), Pass::call);
  breaker.probe_answered(Breaker::Time{1s}, Breaker::Answer::refused);
  EXPECT_EQ(breaker.admit(), Pass::refused);
}

TEST(Breaker, OpensIfTheFirstProbeIsNotAnswered) {
  Breaker breaker;
  breaker.connected(Breaker::Time{1s});
  breaker.probe_sent();
  breaker.probe_overdue(Breaker::Time{2s});
  EXPECT_EQ(breaker.admit(), Pass::refused);
}

TEST(Breaker, DoesNotProbeWithoutAConnection) {
  Breaker breaker;
  breaker.timed_out(Breaker::Time{1s}, Replies::none);
  EXPECT_EQ(breaker.admit(), Pass::refused);
  EXPECT_FALSE(breaker.next_probe());
  breaker.connected(Breaker::Time{2s});
  EXPECT_TRUE(breaker.next_probe());
}

}  // namespace
}  // namespace headgate::redis
