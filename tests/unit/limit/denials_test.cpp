#include "headgate/limit/denials.hpp"

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
using test::make_ask;
using test::make_rule;

constexpr Moment kNow(1h);

Verdict refusal(Duration retry_after, Duration reset_after = 10s, std::uint64_t remaining = 0) {
  Verdict verdict;
  verdict.limit = 10;
  verdict.remaining = remaining;
  verdict.retry_after = retry_after;
  verdict.reset_after = reset_after;
  return verdict;
}

struct DenialsTest : testing::Test {
  bool denied(const Ask& question, Moment now) { return denials.find(question, now, verdict); }

  Denials denials;
  Rule rule = make_rule("10/second");
  Ask ask = make_ask(rule, "a");
  Verdict verdict;
};

TEST_F(DenialsTest, RepeatARefusalUntilItsMomentAndCountTheWaitDown) {
  EXPECT_FALSE(denied(ask, kNow));
  denials.remember(ask, refusal(100ms, 1s), kNow, kNow);
  ASSERT_TRUE(denied(ask, kNow));
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(verdict.limit, 10U);
  EXPECT_EQ(verdict.remaining, 0U);
  EXPECT_EQ(verdict.retry_after, 100ms);
  EXPECT_EQ(verdict.reset_after, 1s);
  ASSERT_TRUE(denied(ask, kNow + 99'999us));
  EXPECT_EQ(verdict.retry_after, 1us);
  EXPECT_EQ(verdict.reset_after, 1s - 99'999us);
  EXPECT_FALSE(denied(ask, kNow + 100ms));
  EXPECT_FALSE(denied(make_ask(rule, "b"), kNow)) << "another caller";
}

TEST_F(DenialsTest, CoverHigherCostsButNoLowerOnes) {
  const Ask two = make_ask(rule, "a", 2);
  denials.remember(two, refusal(100ms, 900ms, 1), kNow, kNow);
  EXPECT_FALSE(denied(ask, kNow)) << "one more may fit where two do not";
  ASSERT_TRUE(denied(make_ask(rule, "a", 5), kNow));
  EXPECT_EQ(verdict.retry_after, 400ms) << "three more take 300 ms more to come back";
  EXPECT_EQ(verdict.remaining, 1U);
  ASSERT_TRUE(denied(make_ask(rule, "a", 10), kNow));
  EXPECT_EQ(verdict.retry_after, 900ms) << "then all of it is back";
  ASSERT_TRUE(denied(make_ask(rule, "a", 11), kNow));
  EXPECT_EQ(verdict.retry_after, kNever) << "that never fits";
}

TEST_F(DenialsTest, AskForTheWaitOfEachCostWhereItIsNoStraightLine) {
  for (const auto* algorithm : {"fixed_window", "leaky_bucket", "sliding_log", "sliding_window"}) {
    rule = make_rule("10/second", 10, "plan", algorithm);
    const auto cost = [&](std::int64_t count) { return make_ask(rule, algorithm, count); };
    denials.remember(cost(1), refusal(100ms, 900ms), kNow, kNow);
    EXPECT_TRUE(denied(cost(1), kNow)) << algorithm;
    EXPECT_FALSE(denied(cost(3), kNow)) << "refused, but for how long?";
    denials.remember(cost(3), refusal(550ms, 900ms), kNow, kNow);
    ASSERT_TRUE(denied(cost(3), kNow + 10ms));
    EXPECT_EQ(verdict.retry_after, 540ms);
    ASSERT_TRUE(denied(cost(1), kNow + 10ms));
    EXPECT_EQ(verdict.retry_after, 90ms);
    EXPECT_FALSE(denied(cost(2), kNow));
    EXPECT_TRUE(denied(cost(11), kNow));
    EXPECT_EQ(verdict.retry_after, kNever);
    EXPECT_FALSE(denied(cost(3), kNow + 100ms)) << "the lower cost may be let through, and then the wait is another";
  }
}

TEST_F(DenialsTest, TellALongerWaitOnceAsManyCostsAreKnownAsAreKept) {
  rule = make_rule("10/second", 0, "plan", "sliding_log");
  for (const std::int64_t cost : {1, 3, 5, 7})
    denials.remember(make_ask(rule, "a", cost), refusal(cost * 100ms, 900ms), kNow, kNow);
  ASSERT_TRUE(denied(make_ask(rule, "a", 4), kNow));
  EXPECT_EQ(verdict.retry_after, 500ms) << "five fit then, and so do four";
  ASSERT_TRUE(denied(make_ask(rule, "a", 8), kNow));
  EXPECT_EQ(verdict.retry_after, 900ms) << "then all of it is back";
  ASSERT_TRUE(denied(make_ask(rule, "a", 7), kNow));
  EXPECT_EQ(verdict.retry_after, 700ms);
}

TEST_F(DenialsTest, BelieveTheNewestAnswer) {
  rule = make_rule("10/second", 0, "plan", "sliding_window");
  const auto cost = [&](std::int64_t count) { return make_ask(rule, "a", count); };
  denials.remember(cost(2), refusal(500ms), kNow, kNow);
  denials.remember(cost(4), refusal(300ms), kNow + 10ms, kNow + 10ms);
  EXPECT_FALSE(denied(cost(2), kNow + 10ms)) << "something was given back elsewhere: four fit earlier than two did";
  EXPECT_TRUE(denied(cost(4), kNow + 10ms));
  denials.remember(cost(6), refusal(400ms, 900ms, 5), kNow + 20ms, kNow + 20ms);
  EXPECT_FALSE(denied(cost(4), kNow + 20ms)) << "five are left";
  EXPECT_TRUE(denied(cost(6), kNow + 20ms));
}

TEST_F(DenialsTest, AreCountedFromTheQuestionAndToldFromTheAnswer) {
  denials.remember(ask, refusal(100ms), kNow, kNow + 10ms);
  ASSERT_TRUE(denied(ask, kNow + 99ms));
  EXPECT_EQ(verdict.retry_after, 11ms) << "Redis may have decided only then";
  EXPECT_FALSE(denied(ask, kNow + 100ms)) << "or already then";
}

TEST_F(DenialsTest, EndWhereRedisIsHeardOfAnotherSize) {
  denials.remember(ask, refusal(100ms), kNow, kNow);
  denials.forget_other_sizes(ask);
  EXPECT_TRUE(denied(ask, kNow));
  Rule larger = rule;
  larger.burst = 20;
  denials.forget_other_sizes(make_ask(larger, "a", 0));
  EXPECT_FALSE(denied(ask, kNow)) << "the counter is kept under the other size now";
}

TEST_F(DenialsTest, KeepTheOneOfTheLowerCostWhileItLasts) {
  const Ask five = make_ask(rule, "a", 5);
  denials.remember(ask, refusal(100ms), kNow, kNow);
  denials.remember(five, refusal(500ms), kNow + 10ms, kNow + 10ms);
  EXPECT_TRUE(denied(ask, kNow + 50ms));
  denials.remember(five, refusal(400ms), kNow + 100ms, kNow + 100ms);
  EXPECT_FALSE(denied(ask, kNow + 100ms));
  EXPECT_TRUE(denied(five, kNow + 400ms));
  denials.remember(ask, refusal(100ms), kNow + 400ms, kNow + 400ms);
  EXPECT_TRUE(denied(ask, kNow + 450ms));
}

TEST_F(DenialsTest, AskAgainAfterASecondWhateverTheWait) {
  denials.remember(ask, refusal(1h, 2h), kNow, kNow);
  ASSERT_TRUE(denied(ask, kNow + 999ms));
  EXPECT_EQ(verdict.retry_after, 1h - 999ms) << "what is told is the truth";
  EXPECT_FALSE(denied(ask, kNow + 1s)) << "an operator may have reset it";
  const Ask never = make_ask(rule, "c", 11);
  denials.remember(never, refusal(kNever, 0s, 10), kNow, kNow);
  ASSERT_TRUE(denied(never, kNow + 999ms));
  EXPECT_EQ(verdict.retry_after, kNever);
  EXPECT_EQ(verdict.remaining, 10U);
  EXPECT_FALSE(denied(never, kNow + 1s));
}

TEST_F(DenialsTest, AreForgottenWhereSomethingIsGivenBack) {
  denials.remember(ask, refusal(100ms), kNow, kNow);
  denials.forget(make_ask(rule, "b").hash);
  EXPECT_TRUE(denied(ask, kNow));
  denials.forget(ask.hash);
  EXPECT_FALSE(denied(ask, kNow));
  EXPECT_EQ(denials.size(), 0U);
}

TEST_F(DenialsTest, EndWithTheSizeOfTheLimit) {
  denials.remember(ask, refusal(100ms), kNow, kNow);
  Rule larger = rule;
  larger.burst = 20;
  Rule faster = rule;
  faster.rate.count = 20;
  EXPECT_FALSE(denied(make_ask(larger, "a"), kNow));
  EXPECT_FALSE(denied(make_ask(faster, "a"), kNow));
  const Rule reloaded = rule;
  EXPECT_TRUE(denied(make_ask(reloaded, "a"), kNow)) << "the same limit in a new configuration";
}

TEST(Denials, ForgetTheOneThatEndsTheSoonestAboveTheirBound) {
  Denials denials(1024);
  const Rule rule = make_rule("10/second");
  for (int i = 0; i < 100'000; ++i) {
    const std::string subject = std::to_string(i);
    denials.remember(make_ask(rule, subject), refusal(i < 50'000 ? 900ms : 1ms), kNow, kNow);
  }
  EXPECT_LE(denials.size(), 1024U);
  EXPECT_GT(denials.size(), 1000U);
  Verdict verdict;
  int long_ones = 0;
  for (int i = 0; i < 50'000; ++i) long_ones += denials.find(make_ask(rule, std::to_string(i)), kNow, verdict) ? 1 : 0;
  EXPECT_GT(long_ones, 700);
}

/// Asks of one request, first here and then of the store.
struct Desk {
  bool decide(std::vector<Ask> asks, Duration at) {
    verdicts.assign(asks.size(), {});
    if (const auto here = local.decide(asks, kNow + at, verdicts)) return *here;
    Attempt attempt(asks, verdicts);
    if (local.begin(attempt, kNow + at) != Local::Step::ask) throw std::logic_error("nothing waits here");
    ++calls;
    const bool agreed = store.decide(attempt.sent(), kStart + at, attempt.told());
    local.end(attempt, agreed ? Local::Answer::agreed : Local::Answer::refused, kNow + at);
    return agreed;
  }

  Local local{{}};
  MemoryStore store{{}};
  std::vector<Verdict> verdicts;
  int calls = 0;
};

TEST(KnownDenials, AnswerExactlyAsTheStoreWould) {
  // The same random traffic with and without them: not one decision differs, nor the wait that is told.
  Desk with;
  MemoryStore without{{}};
  const Rule narrow = make_rule("20/second", 5, "narrow");
  const Rule wide = make_rule("100/second", 40, "wide");
  std::mt19937 random(7);
  Duration at{0};
  int refused = 0;
  for (int i = 0; i < 50'000; ++i) {
    at += Duration(random() % 4'000);
    const std::string who(1, static_cast<char>('a' + random() % 3));
    const auto cost = static_cast<std::int64_t>(1 + random() % 2);
    const std::vector asks = {make_ask(narrow, who, cost), make_ask(wide, "all")};
    std::vector<Verdict> expected(2);
    const bool agreed = without.decide(asks, kStart + at, expected);
    ASSERT_EQ(with.decide(asks, at), agreed) << "request " << i;
    if (agreed) continue;
    ++refused;
    ASSERT_LE(binding(with.verdicts)->retry_after, binding(expected)->retry_after);
    if (with.verdicts[0].allowed) continue;
    ASSERT_EQ(with.verdicts[0].retry_after, expected[0].retry_after) << "request " << i;
  }
  EXPECT_GT(refused, 10'000);
  EXPECT_LT(with.calls, 50'000 - refused / 2);
}

TEST(KnownDenials, RefuseTheWholeRequestBeforeAnythingIsTaken) {
  Desk desk;
  const Rule narrow = make_rule("1/hour", 2, "narrow");
  const Rule wide = make_rule("1/hour", 100, "wide");
  const std::vector both = {make_ask(wide, "a"), make_ask(narrow, "a")};
  EXPECT_TRUE(desk.decide(both, 0s));
  EXPECT_TRUE(desk.decide(both, 0s));
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(desk.decide(both, i * 1ms));
    EXPECT_TRUE(desk.verdicts[0].allowed);
    EXPECT_EQ(desk.verdicts[0].limit, 100U);
    EXPECT_FALSE(desk.verdicts[1].allowed);
  }
  EXPECT_EQ(desk.calls, 3);
  EXPECT_EQ(desk.local.denied(), 99U);
  EXPECT_TRUE(desk.decide({make_ask(wide, "a", 98)}, 100ms)) << "nothing was taken of the other";
}

TEST(KnownDenials, OfATrialRefuseNobodyAndNeedNoCall) {
  Desk desk;
  const Rule rule = make_rule("1/hour", 1);
  const std::vector trial = {make_ask(rule, "a", 1, How::trial)};
  EXPECT_TRUE(desk.decide({make_ask(rule, "a")}, 0s));
  EXPECT_FALSE(desk.decide({make_ask(rule, "a")}, 0s));
  EXPECT_EQ(desk.calls, 2);
  EXPECT_TRUE(desk.decide(trial, 10ms)) << "on trial it refuses nobody";
  EXPECT_FALSE(desk.verdicts[0].allowed) << "but says what it would have done";
  EXPECT_EQ(desk.verdicts[0].retry_after, 1h - 10ms);
  EXPECT_EQ(desk.calls, 2);
}

TEST(KnownDenials, EndWhereSomethingIsGivenBackHere) {
  Desk desk;
  const Rule rule = make_rule("1/hour", 1);
  EXPECT_TRUE(desk.decide({make_ask(rule, "a")}, 0s));
  EXPECT_FALSE(desk.decide({make_ask(rule, "a")}, 1ms));
  EXPECT_FALSE(desk.decide({make_ask(rule, "a")}, 2ms));
  EXPECT_TRUE(desk.decide({make_ask(rule, "a", -1)}, 3ms));
  EXPECT_TRUE(desk.decide({make_ask(rule, "a")}, 4ms));
}

TEST(KnownDenials, LearnNothingFromTwoAsksOfOneCounter) {
  Desk desk;
  const Rule rule = make_rule("1/hour", 3);
  EXPECT_FALSE(desk.decide({make_ask(rule, "a", 2), make_ask(rule, "a", 2)}, 0s)) << "each fits, both do not";
  EXPECT_TRUE(desk.decide({make_ask(rule, "a", 2)}, 0s));
}

}  // namespace
}  // namespace headgate::limit
