// The memory store and Redis must make the same decisions for the same checks at the same times, for random rules,
// costs and waits.

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace headgate::test {
namespace {

using limit::Check;
using limit::Decision;
using limit::Rule;

std::string said(bool all, std::span<const Decision> decisions) {
  std::string text = all ? "all agree:" : "rejected:";
  for (const Decision& v : decisions)
    text += " (" + std::to_string(v.allowed) + ' ' + std::to_string(v.limit) + ' ' + std::to_string(v.remaining) + ' ' +
            std::to_string(v.retry_after.count()) + ' ' + std::to_string(v.reset_after.count()) + ' ' +
            std::to_string(v.delay.count()) + ')';
  return text;
}

class RandomTraces : public testing::TestWithParam<const limit::Algorithm*> {
 protected:
  void SetUp() override {
    std::string why;
    RedisServer* server = shared_redis(why);
    if (server == nullptr) GTEST_SKIP() << why;
    redis_ = std::make_unique<InRedis>(server->port());
  }

  template <class T>
  const T& any_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  /// Makes a rule whose numbers may or may not divide each other.
  Rule random_rule(std::string limit) {
    static const std::vector<std::string> rates = {"7/second",
                                                   "3/second",
                                                   "100/minute",
                                                   "1000000/second",
                                                   "999983/second",
                                                   "1/day",
                                                   "1000003/day",
                                                   "5/100ms",
                                                   "300/5m",
                                                   "13/30d",
                                                   "999999937/1s",
                                                   "1/1s",
                                                   "123457/7h",
                                                   "1000000/100ms",
                                                   "1000000000/366d",
                                                   "17/3s",
                                                   "10000000000000/second",
                                                   "10000000000000/day",
                                                   "9999999999971/366d",
                                                   "2000000011/3s"};
    for (;;) {
      const std::uint64_t burst = any_of<std::uint64_t>({0, 0, 1, 2, 10, 1000, 1'000'000, 10'000'000'000'000});
      const Duration wait(any_of<std::int64_t>({0, 0, 0, 0, 1, 500'000, 2'000'003}));
      Rule rule = make_rule(any_of(rates), burst, limit, GetParam()->name, wait);
      if (rule.algorithm->by_calendar) rule.from_first_use = stable_hash(limit) / 3 % 2 == 0;
      rule.count_rejected = stable_hash(limit) % 3 == 0;
      if (!rule.algorithm->check(rule)) return rule;
    }
  }

  /// Returns a wait from a microsecond to more than the time to fill the bucket, most often about the time of a few
  /// permits.
  Duration random_wait(const Rule& rule) {
    const std::int64_t token = rule.rate.period.count() / static_cast<std::int64_t>(rule.rate.count);
    switch (random_() % 6) {
      case 0:
        return Duration(0);
      case 1:
        return Duration(1);
      case 2:
        return Duration(between(0, rule.rate.period.count()));
      default:
        return Duration(between(0, 4 * token + 2));
    }
  }

  std::int64_t random_cost(const Rule& rule) {
    const auto burst = static_cast<std::int64_t>(rule.burst);
    switch (random_() % 8) {
      case 0:
        return 0;
      case 1:
        return -between(1, 3);
      case 2:
        return between(0, burst + 1);
      case 3:
        return burst;
      default:
        return 1;
    }
  }

  limit::How random_how() {
    return any_of<limit::How>({limit::How::take, limit::How::take, limit::How::take, limit::How::observe,
                               limit::How::charge, limit::How::debt});
  }

  /// Returns the decision of both.
  Decision same_in_both(InMemory& memory, const Check& check, Instant now, int trace, int step) {
    Decision here;
    Decision there;
    const bool here_all = memory.decide({&check, 1}, now, {&here, 1});
    const bool there_all = redis_->decide({&check, 1}, now, {&there, 1});
    EXPECT_EQ(said(here_all, {&here, 1}), said(there_all, {&there, 1}))
        << to_text(check.rule->rate) << " burst " << check.rule->burst << " wait " << check.rule->wait.count()
        << " cost " << check.cost << " how " << static_cast<int>(check.how) << " trace " << trace << " step " << step;
    return here;
  }

  std::mt19937_64 random_{20261121};  // the same seed in each run, so that a failure can be repeated
  std::unique_ptr<InRedis> redis_;
};

TEST_P(RandomTraces, OfOneRuleGiveTheSameResultsInMemoryAndInRedis) {
  int allowed = 0;
  int rejected = 0;
  int held_back = 0;
  for (int trace = 0; trace < 60; ++trace) {
    const Rule rule = random_rule("single" + std::to_string(trace));
    InMemory memory;
    Instant now = kStart;
    Duration told_to_wait{0};
    for (int step = 0; step < 120; ++step) {
      // Half of the rejected requests return exactly when they were told to, or a microsecond too early.
      now +=
          told_to_wait > Duration(1) && random_() % 2 == 0 ? told_to_wait - Duration(random_() % 2) : random_wait(rule);
      const Check check = make_check(rule, "someone", random_cost(rule), random_how());
      const Decision here = same_in_both(memory, check, now, trace, step);
      if (HasFailure()) return;
      held_back += here.delay > Duration(0) ? 1 : 0;
      (here.allowed ? allowed : rejected) += 1;
      told_to_wait = here.allowed || here.retry_after == limit::kNever ? Duration(0) : here.retry_after;
    }
  }
  EXPECT_GT(allowed, 1000);  // a trace without rejections would compare little
  EXPECT_GT(rejected, 800);
  const Rule waiting = make_rule("1/second", 0, "waiting", GetParam()->name, std::chrono::seconds(1));
  EXPECT_TRUE(held_back > 50 || GetParam()->check(waiting));
}

TEST_P(RandomTraces, OfSeveralRulesAtOnceGiveTheSameInMemoryAndInRedis) {
  int mixed = 0;
  int spared = 0;
  for (int trace = 0; trace < 30; ++trace) {
    std::vector<Rule> rules;
    for (int i = 0; i < 4; ++i)
      rules.push_back(random_rule("several" + std::to_string(trace) + "-" + std::to_string(i)));
    const std::array<std::string, 3> keys = {"alice", "", "b}o%b{"};
    InMemory memory;
    Instant now = kStart;
    for (int step = 0; step < 100; ++step) {
      now += random_wait(any_of(rules));
      std::vector<Check> checks;
      for (auto n = between(1, 6); n > 0; --n) {
        const Rule& rule = any_of(rules);
        checks.push_back(make_check(rule, keys[random_() % keys.size()], random_cost(rule), random_how()));
      }
      std::vector<Decision> here(checks.size());
      std::vector<Decision> there(checks.size());
      const bool here_all = memory.decide(checks, now, here);
      const bool there_all = redis_->decide(checks, now, there);
      ASSERT_EQ(said(here_all, here), said(there_all, there)) << "trace " << trace << " step " << step;
      mixed += !here_all && std::ranges::any_of(here, &Decision::allowed) ? 1 : 0;
      spared += here_all && !std::ranges::all_of(here, &Decision::allowed) ? 1 : 0;
    }
  }
  EXPECT_GT(mixed, 100);
  EXPECT_GT(spared, 100);
}

TEST_P(RandomTraces, ThroughAFailoverToAClockBehindGiveTheSameInMemoryAndInRedis) {
  for (int trace = 0; trace < 30; ++trace) {
    const Rule rule = random_rule("failover" + std::to_string(trace));
    InMemory memory;
    Instant now = kStart;
    for (int step = 0; step < 60; ++step) {
      // This is more than ten seconds; for shorter times the memory store uses the latest clock of its callers.
      now += step % 20 == 19 ? -Duration(std::chrono::seconds(between(11, 100'000))) : random_wait(rule);
      same_in_both(memory, make_check(rule, "someone", random_cost(rule), random_how()), now, trace, step);
      if (HasFailure()) return;
    }
  }
}

TEST_P(RandomTraces, ThroughChangesOfTheRuleGiveTheSameInMemoryAndInRedis) {
  for (int trace = 0; trace < 60; ++trace) {
    const std::string limit = "changed" + std::to_string(trace);  // one counter with several sizes, one after another
    const std::array sizes = {random_rule(limit), random_rule(limit), random_rule(limit)};
    InMemory memory;
    Instant now = kStart;
    for (int step = 0; step < 90; ++step) {
      const Rule& rule = sizes[static_cast<std::size_t>(step / 10) % sizes.size()];
      now += random_wait(rule);
      same_in_both(memory, make_check(rule, "someone", random_cost(rule), random_how()), now, trace, step);
      if (HasFailure()) return;
    }
  }
}

TEST_P(RandomTraces, NearTheLongestDebtGiveTheSameInMemoryAndInRedis) {
  if (!GetParam()->gives_back_late) return;  // it takes nothing back, and refuses counts as large as these
  static const std::vector<std::string> kIndebtedRates = {"1/day",    "1/366d",         "13/30d",
                                                          "7/second", "1000000/second", "10000000000000/day"};
  for (int trace = 0; trace < 60; ++trace) {
    const std::string limit = "indebted" + std::to_string(trace);
    std::vector<Rule> sizes;
    for (int i = 0; i < 3; ++i)
      sizes.push_back(make_rule(any_of(kIndebtedRates), any_of<std::uint64_t>({1, 2, 40, 0}), limit, GetParam()->name));
    InMemory memory;
    Instant now = kStart;
    for (int step = 0; step < 60; ++step) {
      const Rule& rule = any_of(sizes);
      now += any_of<Duration>({Duration(0), Duration(1), std::chrono::seconds(between(0, 30 * 24 * 3600))});
      const auto most = any_of<std::int64_t>({3, 40'000, 1'000'000'000, 10'000'000'000'000});
      const auto cost = random_() % 4 == 0 ? -between(1, most) : between(1, most);
      const Check check = make_check(rule, "someone", cost, random_() % 4 == 0 ? limit::How::take : limit::How::debt);
      same_in_both(memory, check, now, trace, step);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, RandomTraces,
                         testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace headgate::test
