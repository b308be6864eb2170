#include "headgate/limit/known_rejections.hpp"

#include "support/rules.hpp"

#include "headgate/limit/local.hpp"
#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using test::kStart;
using test::make_check;
using test::make_rule;

constexpr Moment kNow(1h);

Decision rejection(Duration retry_after, Duration reset_after = 10s, std::uint64_t remaining = 0) {
  Decision decision;
  decision.limit = 10;
  decision.remaining = remaining;
  decision.retry_after = retry_after;
  decision.reset_after = reset_after;
  return decision;
}

struct KnownRejectionsTest : testing::Test {
  bool rejected(const Check& question, Moment now) { return rejections.find(question, now, decision); }

  KnownRejections rejections;
  Rule rule = make_rule("10/second");
  Check check = make_check(rule, "a");
  Decision decision;
};

TEST_F(KnownRejectionsTest, RepeatARejectionUntilItsEndAndCountTheWaitDown) {
  EXPECT_FALSE(rejected(check, kNow));
  rejections.put(check, rejection(100ms, 1s), kNow, kNow);
  ASSERT_TRUE(rejected(check, kNow));
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.limit, 10U);
  EXPECT_EQ(decision.remaining, 0U);
  EXPECT_EQ(decision.retry_after, 100ms);
  EXPECT_EQ(decision.reset_after, 1s);
  ASSERT_TRUE(rejected(check, kNow + 99'999us));
  EXPECT_EQ(decision.retry_after, 1us);
  EXPECT_EQ(decision.reset_after, 1s - 99'999us);
  EXPECT_FALSE(rejected(check, kNow + 100ms));
  EXPECT_FALSE(rejected(make_check(rule, "b"), kNow)) << "another caller";
}

TEST_F(KnownRejectionsTest, TellTheirWaitAlsoWhenRedisIsAskedAgain) {
  rejections.put(check, rejection(1h, 1h), kNow, kNow);
  EXPECT_FALSE(rejected(check, kNow + 2s)) << "only Redis knows";
  EXPECT_EQ(rejections.wait(check, kNow + 2s), 1h - 2s) << "unless somebody gave back";
  EXPECT_EQ(rejections.wait(check, kNow + 1h), 0s);
  EXPECT_EQ(rejections.wait(make_check(rule, "b"), kNow), 0s);
  rejections.forget(check.hash);
  EXPECT_EQ(rejections.wait(check, kNow), 0s);
}

TEST_F(KnownRejectionsTest, KnowTheWaitOfACounterThatWasSpentAndRejectNobodyForIt) {
  Decision last;
  last.allowed = true;
  last.limit = 10;
  last.again_after = 90s;
  last.reset_after = 100s;
  rejections.put_spent(check, last, kNow, kNow);
  EXPECT_FALSE(rejected(check, kNow));
  EXPECT_EQ(rejections.wait(check, kNow + 1s), 89s);
  rejections.put(check, rejection(80s, 100s), kNow + 5s, kNow + 5s);
  EXPECT_TRUE(rejected(check, kNow + 5s));
  EXPECT_EQ(rejections.wait(check, kNow + 5s), 80s);
}

TEST_F(KnownRejectionsTest, CoverHigherCostsButNoLowerOnes) {
  const Check two = make_check(rule, "a", 2);
  rejections.put(two, rejection(100ms, 900ms, 1), kNow, kNow);
  EXPECT_FALSE(rejected(check, kNow)) << "one more may fit where two do not";
  ASSERT_TRUE(rejected(make_check(rule, "a", 5), kNow));
  EXPECT_EQ(decision.retry_after, 400ms) << "three more take 300 ms more to come back";
  EXPECT_EQ(decision.remaining, 1U);
  ASSERT_TRUE(rejected(make_check(rule, "a", 10), kNow));
  EXPECT_EQ(decision.retry_after, 900ms) << "then all of it is back";
  ASSERT_TRUE(rejected(make_check(rule, "a", 11), kNow));
  EXPECT_EQ(decision.retry_after, kNever) << "that never fits";
}

TEST_F(KnownRejectionsTest, AskForTheWaitOfEachCostIfItIsNotLinear) {
  for (const auto* algorithm : {"fixed_window", "leaky_bucket", "sliding_log", "sliding_window"}) {
    rule = make_rule("10/second", 10, "plan", algorithm);
    const auto cost = [&](std::int64_t count) { return make_check(rule, algorithm, count); };
    rejections.put(cost(1), rejection(100ms, 900ms), kNow, kNow);
    EXPECT_TRUE(rejected(cost(1), kNow)) << algorithm;
    EXPECT_FALSE(rejected(cost(3), kNow)) << "rejected, but for how long?";
    rejections.put(cost(3), rejection(550ms, 900ms), kNow, kNow);
    ASSERT_TRUE(rejected(cost(3), kNow + 10ms));
    EXPECT_EQ(decision.retry_after, 540ms);
    ASSERT_TRUE(rejected(cost(1), kNow + 10ms));
    EXPECT_EQ(decision.retry_after, 90ms);
    EXPECT_FALSE(rejected(cost(2), kNow));
    EXPECT_TRUE(rejected(cost(11), kNow));
    EXPECT_EQ(decision.retry_after, kNever);
    EXPECT_FALSE(rejected(cost(3), kNow + 100ms)) << "the lower cost may be let through, and then the wait is another";
  }
}

TEST_F(KnownRejectionsTest, ReportALongerWaitIfTooManyCostsAreKnown) {
  rule = make_rule("10/second", 0, "plan", "sliding_log");
  for (const std::int64_t cost : {1, 3, 5, 7})
    rejections.put(make_check(rule, "a", cost), rejection(cost * 100ms, 900ms), kNow, kNow);
  ASSERT_TRUE(rejected(make_check(rule, "a", 4), kNow));
  EXPECT_EQ(decision.retry_after, 500ms) << "five fit then, and so do four";
  ASSERT_TRUE(rejected(make_check(rule, "a", 8), kNow));
  EXPECT_EQ(decision.retry_after, 900ms) << "then all of it is back";
  ASSERT_TRUE(rejected(make_check(rule, "a", 7), kNow));
  EXPECT_EQ(decision.retry_after, 700ms);
}

TEST_F(KnownRejectionsTest, FollowTheNewestAnswer) {
  rule = make_rule("10/second", 0, "plan", "sliding_window");
  const auto cost = [&](std::int64_t count) { return make_check(rule, "a", count); };
  rejections.put(cost(2), rejection(500ms), kNow, kNow);
  rejections.put(cost(4), rejection(300ms), kNow + 10ms, kNow + 10ms);
  EXPECT_FALSE(rejected(cost(2), kNow + 10ms)) << "something was given back elsewhere: four fit earlier than two did";
  EXPECT_TRUE(rejected(cost(4), kNow + 10ms));
  rejections.put(cost(6), rejection(400ms, 900ms, 5), kNow + 20ms, kNow + 20ms);
  EXPECT_FALSE(rejected(cost(4), kNow + 20ms)) << "five are left";
  EXPECT_TRUE(rejected(cost(6), kNow + 20ms));
}

TEST_F(KnownRejectionsTest, BeginAtTheCallAndReportTheWaitFromTheAnswer) {
  rejections.put(check, rejection(100ms), kNow, kNow + 10ms);
  ASSERT_TRUE(rejected(check, kNow + 99ms));
  EXPECT_EQ(decision.retry_after, 11ms) << "Redis may have decided only then";
  EXPECT_FALSE(rejected(check, kNow + 100ms)) << "or already then";
}

TEST_F(KnownRejectionsTest, EndIfRedisReportsAnotherSize) {
  rejections.put(check, rejection(100ms), kNow, kNow);
  rejections.forget_other_sizes(check);
  EXPECT_TRUE(rejected(check, kNow));
  Rule larger = rule;
  larger.burst = 20;
  rejections.forget_other_sizes(make_check(larger, "a", 0));
  EXPECT_FALSE(rejected(check, kNow)) << "the counter is kept under the other size now";
}

TEST_F(KnownRejectionsTest, KeepTheOneOfTheLowerCostWhileItLasts) {
  const Check five = make_check(rule, "a", 5);
  rejections.put(check, rejection(100ms), kNow, kNow);
  rejections.put(five, rejection(500ms), kNow + 10ms, kNow + 10ms);
  EXPECT_TRUE(rejected(check, kNow + 50ms));
  rejections.put(five, rejection(400ms), kNow + 100ms, kNow + 100ms);
  EXPECT_FALSE(rejected(check, kNow + 100ms));
  EXPECT_TRUE(rejected(five, kNow + 400ms));
  rejections.put(check, rejection(100ms), kNow + 400ms, kNow + 400ms);
  EXPECT_TRUE(rejected(check, kNow + 450ms));
}

TEST_F(KnownRejectionsTest, AskAgainAfterASecondWhateverTheWait) {
  rejections.put(check, rejection(1h, 2h), kNow, kNow);
  ASSERT_TRUE(rejected(check, kNow + 999ms));
  EXPECT_EQ(decision.retry_after, 1h - 999ms) << "what is told is the truth";
  EXPECT_FALSE(rejected(check, kNow + 1s)) << "an operator may have reset it";
  const Check never = make_check(rule, "c", 11);
  rejections.put(never, rejection(kNever, 0s, 10), kNow, kNow);
  ASSERT_TRUE(rejected(never, kNow + 999ms));
  EXPECT_EQ(decision.retry_after, kNever);
  EXPECT_EQ(decision.remaining, 10U);
  EXPECT_FALSE(rejected(never, kNow + 1s));
}

TEST_F(KnownRejectionsTest, EndIfSomethingIsGivenBack) {
  rejections.put(check, rejection(100ms), kNow, kNow);
  rejections.forget(make_check(rule, "b").hash);
  EXPECT_TRUE(rejected(check, kNow));
  rejections.forget(check.hash);
  EXPECT_FALSE(rejected(check, kNow));
  EXPECT_EQ(rejections.size(), 0U);
}

TEST_F(KnownRejectionsTest, EndWithTheSizeOfTheLimit) {
  rejections.put(check, rejection(100ms), kNow, kNow);
  Rule larger = rule;
  larger.burst = 20;
  Rule faster = rule;
  faster.rate.count = 20;
  EXPECT_FALSE(rejected(make_check(larger, "a"), kNow));
  EXPECT_FALSE(rejected(make_check(faster, "a"), kNow));
  const Rule reloaded = rule;
  EXPECT_TRUE(rejected(make_check(reloaded, "a"), kNow)) << "the same limit in a new configuration";
}

TEST(KnownRejections, DropTheOneThatEndsSoonestAboveTheirBound) {
  KnownRejections rejections(1024);
  const Rule rule = make_rule("10/second");
  for (int i = 0; i < 100'000; ++i) {
    const std::string key = std::to_string(i);
    rejections.put(make_check(rule, key), rejection(i < 50'000 ? 900ms : 1ms), kNow, kNow);
  }
  EXPECT_LE(rejections.size(), 1024U);
  EXPECT_GT(rejections.size(), 1000U);
  Decision decision;
  int long_ones = 0;
  for (int i = 0; i < 50'000; ++i)
    long_ones += rejections.find(make_check(rule, std::to_string(i)), kNow, decision) ? 1 : 0;
  EXPECT_GT(long_ones, 700);
}

/// Checks of one request, first here and then in the store.
struct Desk {
  bool decide(std::vector<Check> checks, Duration at) {
    decisions.assign(checks.size(), {});
    if (const auto here = local.decide(checks, kNow + at, decisions)) return *here;
    PendingDecision attempt(checks, decisions);
    if (local.begin(attempt, kNow + at) != Local::Step::check) throw std::logic_error("nothing waits here");
    ++calls;
    const bool agreed = store.decide(attempt.sent(), kStart + at, attempt.told());
    local.end(attempt, agreed ? Local::Answer::agreed : Local::Answer::rejected, kNow + at);
    return agreed;
  }

  Local local{{}};
  MemoryStore store{{}};
  std::vector<Decision> decisions;
  int calls = 0;
};

TEST(KnownRejections, AnswerExactlyAsTheStoreWould) {
  // The same random traffic with and without them: no decision and no wait differs.
  Desk with;
  MemoryStore without{{}};
  const Rule narrow = make_rule("20/second", 5, "narrow");
  const Rule wide = make_rule("100/second", 40, "wide");
  std::mt19937 random(7);
  Duration at{0};
  int rejected_count = 0;
  for (int i = 0; i < 50'000; ++i) {
    at += Duration(random() % 4'000);
    const std::string who(1, static_cast<char>('a' + random() % 3));
    const auto cost = static_cast<std::int64_t>(1 + random() % 2);
    const std::vector checks = {make_check(narrow, who, cost), make_check(wide, "all")};
    std::vector<Decision> expected(2);
    const bool agreed = without.decide(checks, kStart + at, expected);
    ASSERT_EQ(with.decide(checks, at), agreed) << "request " << i;
    if (agreed) continue;
    ++rejected_count;
    ASSERT_LE(binding(with.decisions)->retry_after, binding(expected)->retry_after);
    if (with.decisions[0].allowed) continue;
    ASSERT_EQ(with.decisions[0].retry_after, expected[0].retry_after) << "request " << i;
  }
  EXPECT_GT(rejected_count, 10'000);
  EXPECT_LT(with.calls, 50'000 - rejected_count / 2);
}

TEST(KnownRejections, RejectTheWholeRequestBeforeAnythingIsTaken) {
  Desk desk;
  const Rule narrow = make_rule("1/hour", 2, "narrow");
  const Rule wide = make_rule("1/hour", 100, "wide");
  const std::vector both = {make_check(wide, "a"), make_check(narrow, "a")};
  EXPECT_TRUE(desk.decide(both, 0s));
  EXPECT_TRUE(desk.decide(both, 0s));
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(desk.decide(both, i * 1ms));
    EXPECT_TRUE(desk.decisions[0].allowed);
    EXPECT_EQ(desk.decisions[0].limit, 100U);
    EXPECT_FALSE(desk.decisions[1].allowed);
  }
  EXPECT_EQ(desk.calls, 3);
  EXPECT_EQ(desk.local.rejected(), 99U);
  EXPECT_TRUE(desk.decide({make_check(wide, "a", 98)}, 100ms)) << "nothing was taken of the other";
}

TEST(KnownRejections, InObserveModeRejectNobodyAndNeedNoCall) {
  Desk desk;
  const Rule rule = make_rule("1/hour", 1);
  const std::vector observe = {make_check(rule, "a", 1, How::observe)};
  EXPECT_TRUE(desk.decide({make_check(rule, "a")}, 0s));
  EXPECT_FALSE(desk.decide({make_check(rule, "a")}, 0s));
  EXPECT_EQ(desk.calls, 2);
  EXPECT_TRUE(desk.decide(observe, 10ms)) << "it only observes";
  EXPECT_FALSE(desk.decisions[0].allowed) << "but says what it would have done";
  EXPECT_EQ(desk.decisions[0].retry_after, 1h - 10ms);
  EXPECT_EQ(desk.calls, 2);
}

TEST(KnownRejections, EndIfSomethingIsGivenBackHere) {
  Desk desk;
  const Rule rule = make_rule("1/hour", 1);
  EXPECT_TRUE(desk.decide({make_check(rule, "a")}, 0s));
  EXPECT_FALSE(desk.decide({make_check(rule, "a")}, 1ms));
  EXPECT_FALSE(desk.decide({make_check(rule, "a")}, 2ms));
  EXPECT_TRUE(desk.decide({make_check(rule, "a", -1)}, 3ms));
  EXPECT_TRUE(desk.decide({make_check(rule, "a")}, 4ms));
}

TEST(KnownRejections, LearnNothingFromTwoChecksOfOneCounter) {
  Desk desk;
  const Rule rule = make_rule("1/hour", 3);
  EXPECT_FALSE(desk.decide({make_check(rule, "a", 2), make_check(rule, "a", 2)}, 0s)) << "each fits, both do not";
  EXPECT_TRUE(desk.decide({make_check(rule, "a", 2)}, 0s));
}

}  // namespace
}  // namespace headgate::limit
