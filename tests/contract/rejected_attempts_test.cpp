// Limits that count rejected requests as well: each algorithm, and several limits in one call.

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using limit::Check;
using limit::Decision;
using limit::Rule;

enum class StoreKind { memory, redis };

class RejectedAttempts : public testing::TestWithParam<std::tuple<StoreKind, const limit::Algorithm*>> {
 protected:
  void SetUp() override {
    if (std::get<0>(GetParam()) == StoreKind::memory) {
      store_ = std::make_unique<InMemory>();
      return;
    }
    std::string why;
    RedisServer* server = shared_redis(why);
    if (server == nullptr) GTEST_SKIP() << why;
    store_ = std::make_unique<InRedis>(server->port());
  }

  static Rule rule(const char* rate, const char* limit, bool count_rejected) {
    Rule out = make_rule(rate, 0, limit, std::get<1>(GetParam())->name);
    out.count_rejected = count_rejected;
    return out;
  }
  Decision ask(const Rule& rule, Instant now, std::int64_t cost = 1) {
    const Check check = make_check(rule, "someone", cost);
    Decision decision;
    store_->decide({&check, 1}, now, {&decision, 1});
    return decision;
  }

  std::unique_ptr<ContractStore> store_;
};

TEST_P(RejectedAttempts, KeepACallerOutThatDoesNotSlowDownAndLetOneInThatWaits) {
  const Rule rule = this->rule("10/second", "counting", true);
  Instant now = kStart;
  for (int i = 0; i < 100; ++i) ask(rule, now);   // more than any burst
  const bool anew = rule.algorithm->by_calendar;  // such a window ends whatever was attempted in it
  for (int i = 0; i < 40; ++i) {
    now += 50ms;  // two seconds at twice the rate
    const Decision decision = ask(rule, now);
    ASSERT_TRUE(anew || !decision.allowed) << i;
  }
  const Decision last = ask(rule, now);
  if (!anew) {
    ASSERT_FALSE(last.allowed);
    EXPECT_TRUE(ask(rule, now + last.retry_after).allowed);
  }
}

TEST_P(RejectedAttempts, AreAdmittedAtTheMomentThatTheLastRejectionTold) {
  for (const std::int64_t cost : {1, 2, 3, 7}) {
    const Rule rule = this->rule("10/second", ("told" + std::to_string(cost)).c_str(), true);
    if (static_cast<std::uint64_t>(cost) > rule.burst) continue;
    Instant now = kStart;
    int admitted = 0;
    int told = 0;
    for (int i = 0; i < 200; ++i) {
      const Decision decision = ask(rule, now, cost);
      admitted += decision.allowed ? 1 : 0;
      if (decision.allowed) {
        now += 1ms;
        continue;
      }
      ASSERT_GT(decision.retry_after, 0s);
      ++told;
      if (told % 3 == 0) {  // the client tries again too early, and is told a new time
        now += decision.retry_after / 2;
        continue;
      }
      now += decision.retry_after;
      ASSERT_TRUE(ask(rule, now, cost).allowed) << "cost " << cost << " try " << i;
    }
    EXPECT_GT(told, 20);
  }
}

TEST_P(RejectedAttempts, OfAnotherLimitOfTheSameCallCountAsWell) {
  const Rule counting = rule("10/minute", "all-tries", true);
  const Rule plain = rule("10/minute", "granted", false);
  const Rule none = make_rule("1/minute", 0, "one", std::get<1>(GetParam())->name);
  const std::array checks{make_check(counting, "someone"), make_check(plain, "someone"), make_check(none, "someone")};
  std::array<Decision, 3> decisions;
  EXPECT_TRUE(store_->decide(checks, kStart, decisions));
  EXPECT_FALSE(store_->decide(checks, kStart, decisions));
  const auto left = [&](const Rule& rule) { return ask(rule, kStart, 0).remaining; };
  EXPECT_EQ(left(plain), counting.burst - std::min<std::uint64_t>(counting.burst, 1));
  EXPECT_EQ(left(counting), counting.burst - std::min<std::uint64_t>(counting.burst, 2));
}

TEST_P(RejectedAttempts, AreNotTakenByALook) {
  const Rule rule = this->rule("2/minute", "looked", true);
  while (ask(rule, kStart).allowed) {
  }
  Check check = make_check(rule, "someone");
  const Decision before = ask(rule, kStart + 1s);
  check.peek = true;
  Decision seen;
  Decision again;
  EXPECT_FALSE(store_->decide({&check, 1}, kStart + 2s, {&seen, 1}));
  EXPECT_FALSE(store_->decide({&check, 1}, kStart + 2s, {&again, 1}));
  EXPECT_EQ(seen.retry_after, again.retry_after);
  const Decision real = ask(rule, kStart + 2s);  // a peek reports the next decision
  EXPECT_EQ(real.retry_after, seen.retry_after);
  EXPECT_FALSE(before.allowed);
}

INSTANTIATE_TEST_SUITE_P(Stores, RejectedAttempts,
                         testing::Combine(testing::Values(StoreKind::memory, StoreKind::redis),
                                          testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end())),
                         [](const auto& instance) {
                           const bool here = std::get<0>(instance.param) == StoreKind::memory;
                           return std::string(here ? "Memory_" : "Redis_") +
                                  std::string(std::get<1>(instance.param)->name);
                         });

}  // namespace
}  // namespace headgate::test
