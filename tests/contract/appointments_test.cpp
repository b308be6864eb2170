// Appointments in both stores: the same history gives the same times, each appointment is later than the one before,
// and each can be used once.

#include "stores.hpp"
#include "support/rules.hpp"

#include "headgate/limit/appointment.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::test {
namespace {

using limit::Check;
using limit::Decision;
using limit::How;

class AppointmentsInBothStores : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    RedisServer* server = shared_redis(why);
    if (server == nullptr) GTEST_SKIP() << why;
    redis_ = std::make_unique<InRedis>(server->port());
  }

  /// Returns the decision of both stores, which must agree.
  Decision ask(const limit::Rule& rule, std::int64_t cost, How how, Instant now) {
    Check check = make_check(rule, "somebody", cost, how);
    // the gateway names the counter of an appointment like this
    check.hash = keyed_hash(rule.suffix + "somebody", rule.seed);
    Decision here;
    Decision there;
    memory_.decide({&check, 1}, now, {&here, 1});
    redis_->decide({&check, 1}, now, {&there, 1});
    EXPECT_EQ(here.allowed, there.allowed);
    EXPECT_EQ(here.retry_after, there.retry_after);
    EXPECT_EQ(here.reset_after, there.reset_after);
    return there;
  }
  Instant book(const limit::Rule& rule, std::int64_t cost, Instant now) {
    const Check check = make_check(rule, "somebody", cost, How::debt);
    const auto decision = ask(rule, cost, How::debt, now);
    return limit::due({&check, 1}, {&decision, 1}, now);
  }

  InMemory memory_;
  std::unique_ptr<InRedis> redis_;
};

TEST_F(AppointmentsInBothStores, FollowEachOtherAtTheRateOfTheLimit) {
  auto now = kStart;  // time never goes back here, because the stores do not follow a clock that is set back
  for (const auto* rate : {"7/second", "100/minute", "13/30d"}) {
    const auto rule = make_rule(rate, 5, rate);
    const auto permit = rule.rate.period / static_cast<std::int64_t>(rule.rate.count);
    std::mt19937_64 random(3);
    ask(rule, 5, How::take, now);
    auto last = now;
    for (int i = 0; i < 100; ++i) {
      now += Duration(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(permit.count())));
      const auto cost = static_cast<std::int64_t>(1 + random() % 3);
      const auto rejection = ask(rule, cost, How::take, now);
      if (rejection.allowed) continue;
      const auto from = book(rule, cost, now);
      EXPECT_GE(from, now + rejection.retry_after) << "not before it would have been let through";
      EXPECT_LE(from, now + rejection.retry_after + Duration(2)) << rate;
      EXPECT_GE(from + Duration(2), last + cost * permit) << "behind the one before";
      last = from;
    }
  }
}

TEST_F(AppointmentsInBothStores, ThatAreGivenBackAtTheEndLeaveNoTrace) {
  const auto rule = make_rule("10/second", 10);
  ask(rule, 10, How::take, kStart);
  const auto first = book(rule, 1, kStart);
  book(rule, 1, kStart);
  ask(rule, -1, How::take, kStart);
  EXPECT_EQ(book(rule, 1, kStart), first + Duration(100'000));
}

TEST_F(AppointmentsInBothStores, AreKeptOnce) {
  const auto rule = make_rule("10/second", 10);
  const auto made = *limit::appoint({std::chrono::minutes(5), std::chrono::seconds(10)}, 1, kStart, kStart, 99);
  const auto use = limit::use_of(made, rule);
  EXPECT_TRUE(ask(use, 1, How::take, made.from).allowed);
  for (auto now = made.from; now < made.until; now += std::chrono::seconds(1))
    EXPECT_FALSE(ask(use, 1, How::take, now).allowed);
  EXPECT_TRUE(ask(rule, 1, How::take, made.until).allowed) << "its counter is another one";
}

}  // namespace
}  // namespace headgate::test
